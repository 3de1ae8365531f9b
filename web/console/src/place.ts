/** What the server wrote into the page: where the console is, what is served here, and limits that a form names. */
export interface Place {
  /** The prefix of every path, "" or such as "/quintet". */
  readonly base: string;
  /** What links to the outside begin with, "" when they are paths. */
  readonly publicUrl: string;
  readonly services: readonly string[];
  readonly timeZone: string;
  readonly maxUploadMb: number;
  readonly maxWorkbookMb: number;
}

const meta = document.querySelector<HTMLMetaElement>('meta[name="quintet"]');

export const place: Place = JSON.parse(meta?.content || "{}") as Place;

/** The nonce that the page's policy knows; a browser shows it to scripts as a property alone. */
export const nonce = meta?.nonce ?? "";

/**
 * Gives every style element that a library makes the page's nonce. The component library passes it along by itself in
 * most places but not in all (the lock of the page's scrolling, the measuring of the scrollbar).
 */
export function lendNonce(): void {
  const create = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions) => {
    const element = create(name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };
}
