// Talks to the server, and saves: one change after the other, the newest of a page first come.

/** Answer of the server as a value; an Error with its sentence and status where it refuses. */
export async function ask(path, options = {}) {
  const answer = await fetch(path, { credentials: "same-origin", ...options });
  const value = await answer.json();
  if (answer.ok) return value;
  throw Object.assign(new Error(value.error), { status: answer.status });
}

/** Saves what is handed to it; says how it stands. */
export class Saver {
  #waiting = new Map(); // number of a page -> its segments
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

  async save(number, segments) {
    this.#waiting.set(number, segments);
    if (this.#busy) return;
    this.#busy = true;
    this.#say("Saving…", false);
    while (this.#waiting.size && (await this.#next()));
    this.#busy = false;
  }

  /** Sends one page; false where it makes no sense to go on. */
  async #next() {
    const [number, segments] = this.#waiting.entries().next().value;
    this.#waiting.delete(number);
    try {
      const body = JSON.stringify({ segments, revision: this.#revision.get(number) });
      const headers = { "Content-Type": "application/json" };
      this.know(number, (await ask(`/pages/${number}`, { method: "PUT", headers, body })).revision);
      if (!this.#waiting.size) this.#say("Saved", false);
      return true;
    } catch (error) {
      if (!this.#waiting.has(number)) this.#waiting.set(number, segments);
      const refused = error.status >= 400 && error.status < 500;
      const why = error.status ? error.message : "the tool does not answer.";
      this.#say(`Not saved: ${why}${refused ? "" : " Trying again…"}`, true);
      if (!refused) await new Promise((done) => setTimeout(done, 2000));
      return !refused;
    }
  }
}
