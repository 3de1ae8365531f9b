import { nonce } from "#shared/place.ts";

/**
 * Ant Design creates style elements without the CSP nonce in some places (scroll locking, scrollbar measurement), so
 * every style element gets it here.
 */
export function lendNonce(): void {
  const create = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions) => {
    const element = create(name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };
}
