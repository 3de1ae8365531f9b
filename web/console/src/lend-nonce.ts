import { nonce } from "#shared/place.ts";

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
