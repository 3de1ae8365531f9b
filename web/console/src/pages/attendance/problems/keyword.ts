// A keyword at the server has no more characters.
export const mostCharacters = 64;

/** What of an address most likely tells the campus: without what stands in brackets, numbers of devices, floors. */
export function proposeKeyword(address: string): string {
  const plain = address
    .replaceAll(/[（(【[][^）)】\]]*[）)】\]]/g, " ")
    .split(/[：:，,；;|_\s]/)
    .map((part) => part.trim())
    .find((part) => part.length > 1 && !/^[\dA-F:-]+$/i.test(part));
  return (plain ?? address.trim()).slice(0, mostCharacters);
}

/** Case does not matter, as for the analysis. */
export const hasKeyword = (address: string, keyword: string): boolean =>
  address.toLowerCase().includes(keyword.trim().toLowerCase());
