/** What goes out, as an attempt of it did. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

// Within single quotes a shell reads nothing but their end.
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The request as a command for a shell: what is masked in it stays masked. */
export const toCurl = ({ method, url, headers, body }: SentRequest): string =>
  [
    `curl -i -X ${method} ${quote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    `--data-raw ${quote(body)}`,
  ].join(" \\\n  ");
