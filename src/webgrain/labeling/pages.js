// The pages of a tool: which one is open, the picture of it, and where what is done with it is kept.
import { buildPages } from "./panel.js";
import { Saver, ask } from "./saver.js";

const $ = (id) => document.getElementById(id);

export class Pages {
  site = null; // the pages, as the server lists them
  number = 0; // of the page that is open
  #opened = new Map(); // number of a page -> promise of it
  #take;
  #shown;
  #saver = new Saver((text, isError) => {
    $("saved").textContent = text;
    $("saved").classList.toggle("error", isError);
  });

  /** `take(view, segments)` makes a page of its view, in which other layers are; `shown(page)` receives the open one, null while none can be shown. */
  constructor(take, shown) {
    this.#take = take;
    this.#shown = shown;
  }

  /** Asks for the list of pages; false where there is none. */
  async begin() {
    try {
      this.site = await ask("/pages");
    } catch (error) {
      $("title").textContent = error.message;
      return false;
    }
    buildPages(this.site, (wanted) => this.open(wanted));
    return true;
  }

  #load(wanted) {
    if (!this.#opened.has(wanted)) {
      const loading = ask(`/pages/${wanted}`).then(({ segments, revision, ...view }) => {
        this.#saver.know(wanted, revision);
        return this.#take(view, segments);
      });
      loading.catch(() => this.#opened.delete(wanted));
      this.#opened.set(wanted, loading);
    }
    return this.#opened.get(wanted);
  }

  /** Opens a page; with a direction, goes on to the next one that can be shown, or else back. */
  async open(wanted, direction = 0, back = wanted) {
    const { pages } = this.site;
    this.number = wanted;
    this.#show(null, "Loading…");
    try {
      const loaded = await this.#load(wanted);
      if (this.number !== wanted) return;
      this.#show(loaded, "");
      if (wanted + 1 < pages.length && !pages[wanted + 1].failure) this.#load(wanted + 1).catch(() => {});
    } catch (error) {
      if (error.status === 422) pages[wanted].failure = error.message;
      if (this.number !== wanted) return;
      if (direction && pages[wanted + direction]) await this.open(wanted + direction, direction, back);
      else if (back !== wanted) await this.open(back);
      else this.#show(null, `This page cannot be shown: ${error.message}`);
    }
  }

  go(direction) {
    if (this.site.pages[this.number + direction]) this.open(this.number + direction, direction, this.number);
  }

  #show(page, message) {
    $("title").textContent = this.site.pages[this.number].page;
    $("message").textContent = message;
    $("message").hidden = !message;
    $("sheet").hidden = !page;
    $("stage").scrollTo(0, 0);
    if (page) {
      const { size, picture } = page.view;
      $("picture").src = `/pages/${this.number}/picture`;
      $("picture").style.width = `${(100 * picture[0]) / size[0]}%`;
      $("sheet").style.maxWidth = `${size[0]}px`;
      $("sheet").style.aspectRatio = `${size[0]} / ${size[1]}`;
    }
    this.#shown(page);
  }

  /** Keeps what is marked on the open page: the layers that were changed. */
  save(layers) {
    this.#saver.save(this.number, layers);
  }
}
