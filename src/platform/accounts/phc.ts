/**
 * The costs are OWASP's minimum for argon2id (19 MiB, two passes) and take about 30 ms on one core. Tests lower the
 * costs.
 */
export const passwordCosts = { memory: 19_456, passes: 2, parallelism: 1 };
export const hashBytes = 32;

const toText = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");

export function toPhc(nonce: Buffer, hash: Buffer): string {
  const { memory, passes, parallelism } = passwordCosts;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toText(nonce)}$${toText(hash)}`;
}
