import { nonce } from "#shared/place.ts";

/**
 * Adds the CSP nonce to every style element that a library creates. The component library misses some places (scroll
 * locking, scrollbar measurement).
 */
export function lendNonce(): void {
  const create = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions) => {
    const element = create(name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };
}
