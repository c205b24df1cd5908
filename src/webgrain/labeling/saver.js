// Talks to the server, and saves: one change after the other, the newest of a page first come.

/** Answer of the server as a value; an Error with its sentence and status where it refuses. */
export async function ask(path, options = {}) {
  const answer = await fetch(path, { credentials: "same-origin", ...options });
  const value = await answer.json();
  if (answer.ok) return value;
  throw Object.assign(new Error(value.error), { status: answer.status });
}

/** Answer of the server to a record, as JSON. */
export const put = (path, body) =>
  ask(path, { method: "PUT", headers: { "Content-Type": "application/json" }, body });

/** Saves what is handed to it; says how it stands. */
export class Saver {
  #waiting = new Map(); // number of a page -> the layers that were changed, as the server wants them
  #revision = new Map();
  #busy = false;
  #say;

  constructor(say) {
    this.#say = say;
    addEventListener("beforeunload", (event) => {
      if (this.#busy || this.#waiting.size) event.preventDefault();
    });
  }

  know(number, revision) {
    this.#revision.set(number, revision);
  }

  async save(number, layers) {
    this.#waiting.set(number, { ...this.#waiting.get(number), ...layers });
    if (this.#busy) return;
    this.#busy = true;
    this.#say("Saving…", false);
    while (this.#waiting.size && (await this.#next()));
    this.#busy = false;
  }

  /** Sends one page; false where it makes no sense to go on. */
  async #next() {
    const [number, layers] = this.#waiting.entries().next().value;
    this.#waiting.delete(number);
    try {
      const body = JSON.stringify({ ...layers, revision: this.#revision.get(number) });
      this.know(number, (await put(`/pages/${number}`, body)).revision);
      if (!this.#waiting.size) this.#say("Saved", false);
      return true;
    } catch (error) {
      this.#waiting.set(number, { ...layers, ...this.#waiting.get(number) });
      const refused = error.status >= 400 && error.status < 500;
      const why = error.status ? error.message : "the tool does not answer.";
      this.#say(`Not saved: ${why}${refused ? "" : " Trying again…"}`, true);
      if (!refused) await new Promise((done) => setTimeout(done, 2000));
      return !refused;
    }
  }
}
