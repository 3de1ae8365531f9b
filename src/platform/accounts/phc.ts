/**
 * The costs are OWASP's minimum for interactive logins (19 MiB, two passes) and take about 30 ms of one core. Tests
 * lower them.
 */
export const passwordCosts = { memory: 19_456, passes: 2, parallelism: 1 };
export const hashBytes = 32;

const toText = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");

export function toPhc(nonce: Buffer, hash: Buffer): string {
  const { memory, passes, parallelism } = passwordCosts;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toText(nonce)}$${toText(hash)}`;
}
