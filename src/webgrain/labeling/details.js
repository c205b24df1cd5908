// What the content layer shows beside the list of marks: the kind of the page, what it lacks, and what a mark means.
import { contradicted, isDate, partOf, spanOf, spanOfPart } from "./content.js";
import { element } from "./draw.js";
import { put } from "./saver.js";

const $ = (id) => document.getElementById(id);
const toPage = () => $("stage").focus({ preventScroll: true });

/** A text of the page and the part of it that is meant: selected in the text, or typed. */
class TextPart {
  #box;
  #whole;
  #part;
  #span = null;
  #asked = ""; // whose text is shown
  #tell;

  constructor(box, tell) {
    this.#box = box;
    this.#whole = box.querySelector("textarea");
    this.#part = box.querySelector("input");
    this.#tell = tell; // {setSpan(span), say(text)}
    // After the mouse, keys are for the page again.
    document.addEventListener("pointerup", () => document.activeElement === this.#whole && this.#select() && toPage());
    this.#whole.addEventListener("keyup", (event) => !event.shiftKey && this.#select());
    this.#part.addEventListener("change", () => this.#type());
  }

  /** Shows the text at a place of a page, null for none. */
  async show(number, place, span, attribute = null) {
    this.#box.hidden = !place;
    this.#span = span;
    const { parts, lost, paths } = place || {};
    const body = JSON.stringify({ parts, lost, paths, attribute });
    const asked = place ? `${number} ${body}` : "";
    if (asked === this.#asked) {
      this.#draw();
      return;
    }
    this.#asked = asked;
    this.#whole.value = "";
    this.#draw();
    if (!place) return;
    this.#part.disabled = attribute !== null;
    this.#whole.title = attribute === null ? "Select the part that is meant" : `Attribute ${attribute}`;
    try {
      const { text } = await put(`/pages/${number}/text`, body);
      if (asked !== this.#asked) return;
      this.#whole.value = text;
      this.#draw();
    } catch (error) {
      if (asked === this.#asked) this.#tell.say(`The text cannot be shown: ${error.message}`);
    }
  }

  focus() {
    (this.#part.disabled ? this.#whole : this.#part).focus();
  }

  /** Shows the part; the selection in the text is always the part. */
  #draw() {
    const text = this.#whole.value;
    const [first, last] = this.#span || [0, 0];
    this.#part.value = this.#span ? partOf(text, this.#span) : "";
    this.#part.placeholder = this.#span ? `characters ${first} to ${last}` : "all of it";
    const [begin, end] = [first, last].map((place) => partOf(text, [0, place]).length);
    const { selectionStart, selectionEnd } = this.#whole;
    const isThere = selectionStart === begin && selectionEnd === end;
    const isNone = begin === end && selectionStart === selectionEnd;
    if (!isThere && !isNone) this.#whole.setSelectionRange(begin, end);
  }

  #select() {
    const { value, selectionStart, selectionEnd } = this.#whole;
    const span = spanOf(value, selectionStart, selectionEnd);
    if (span && !this.#part.disabled) this.#set(span);
    return span !== null;
  }

  #type() {
    const part = this.#part.value;
    const span = spanOfPart(this.#whole.value, part, this.#span);
    if (span || !part.trim()) this.#set(span);
    else {
      this.#tell.say(`The text of the mark does not contain “${part}”.`);
      this.#draw();
    }
  }

  #set(span) {
    if (`${span}` === `${this.#span}`) this.#draw();
    else this.#tell.setSpan(span);
  }
}

/** Shows the content of a page and the chosen mark; reports what is changed about them. */
export class Details {
  #text;
  #label;
  #kinds;
  #absent;

  /** The first are the choices of the server; tell: {change(update), patch(update), toggle(name), askLabel(), say(text)}. */
  constructor({ kinds, absent }, tell) {
    const { say, patch } = tell;
    this.#kinds = kinds;
    this.#absent = absent;
    this.#text = new TextPart($("text"), { setSpan: (span) => patch({ span }), say });
    this.#label = new TextPart($("label-text"), { setSpan: (span) => patch({ label_span: span }), say });
    $("kind").addEventListener("change", () => {
      tell.change({ kind: $("kind").value || null });
      toPage();
    });
    $("absent").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) tell.toggle(button.dataset.name);
    });
    $("iso").addEventListener("change", () => {
      const value = $("iso").value.trim();
      const isRight = !value || isDate(value);
      $("iso").classList.toggle("wrong", !isRight);
      if (isRight) patch({ value: value || null });
      else say(`“${value}” is not a date in ISO format, such as 2020-05-03 or 2020-05.`);
    });
    $("label").addEventListener("click", tell.askLabel);
    $("unlabel").addEventListener("click", () => patch({ label: null, label_span: null }));
  }

  /** content: state of the layer, null if it is not edited; asksLabel: whether the next click is the label. */
  draw(number, view, content, mark, asksLabel) {
    $("page-content").hidden = !content;
    $("details").hidden = !content || !mark;
    if (!content) return;
    this.#drawKind(content.kind);
    this.#drawAbsent(view, content);
    this.#text.show(number, mark, mark ? mark.span : null, mark ? mark.attribute : null);
    $("dated").hidden = !mark || mark.name !== "date";
    $("iso").value = (mark && mark.value) || "";
    $("iso").classList.remove("wrong");
    $("labelled").hidden = !mark || mark.name !== "value";
    $("label").setAttribute("aria-pressed", asksLabel);
    $("label").lastChild.textContent = asksLabel ? " Click the label" : " Choose the label";
    $("unlabel").hidden = !mark || !mark.label;
    this.#label.show(number, mark && mark.label, mark ? mark.label_span : null);
  }

  /** Goes to the text of the mark. */
  focus() {
    if (!$("details").hidden) this.#text.focus();
  }

  #drawKind(kind) {
    const known = kind && !this.#kinds.includes(kind) ? [kind, ...this.#kinds] : this.#kinds;
    const options = ["", ...known].map((one) => element("option", { value: one }, one || "not chosen"));
    $("kind").replaceChildren(...options);
    $("kind").value = kind || "";
  }

  #drawAbsent(view, content) {
    const names = [...new Set([...this.#absent, ...content.absent])];
    const wrong = contradicted(view, content);
    const buttons = names.map((name) =>
      element(
        "button",
        {
          type: "button",
          "data-name": name,
          "aria-pressed": `${content.absent.includes(name)}`,
          class: wrong.includes(name) ? "wrong" : null,
          title: wrong.includes(name) ? `${name} is marked, too` : `The page has no ${name}`,
        },
        name,
      ),
    );
    $("absent").replaceChildren(...buttons);
  }
}
