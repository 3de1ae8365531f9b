import { nonce } from "#shared/place.ts";

/**
 * Ant Design creates some style elements without the CSP nonce (scroll locking, scrollbar measurement), so this
 * function gives the nonce to every style element.
 */
export function lendNonce(): void {
  const create = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions) => {
    const element = create(name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };
}
