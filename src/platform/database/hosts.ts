import { type DatabaseAddress, readDatabaseAddress } from "./address.ts";

/** The hosts of an address, and which of them new connections go to: the one that was good last. */
export class Hosts {
  readonly address: DatabaseAddress;
  #at = 0;

  constructor(address: string) {
    this.address = readDatabaseAddress(address);
  }

  get count(): number {
    return this.address.urls.length;
  }

  get current(): string {
    return this.address.urls[this.#at] ?? this.address.urls[0];
  }

  /** Goes on to the next, unless somebody has already: many connections find out at once. */
  leave(url: string): void {
    if (url === this.current) this.#at = (this.#at + 1) % this.count;
  }
}
