import type { Guests } from "#platform/contract/endpoint.ts";

// Some services identify their guests by a number in a header, such as a student's card number. A setting of each
// service chooses how the number is proved.

export const provingWays = ["header", "signed", "campus", "demo"] as const;
export type ProvingWay = (typeof provingWays)[number];

export interface NumberHeaders {
  readonly number: string;
  readonly time: string;
  readonly sign: string;
  readonly token: string;
}

export interface ToldOfProof {
  /** Null if guests cannot use the service. */
  readonly identity: ProvingWay | null;
  /**
   * The addresses of the campus platform's sign-in pages for phones and desktops. Null unless `identity` is "campus"
   * and the campus platform can send users back to the service's page.
   */
  readonly signIn: { readonly phone: string; readonly desk: string } | null;
}

interface Described extends Pick<Guests, "title" | "knownBy"> {
  readonly headers: NumberHeaders;
  readonly about: string;
  readonly login: string;
  readonly setting: string;
}

export const provenGuests = ({ title, knownBy, headers, about, login, setting }: Described): Guests => ({
  title,
  knownBy,
  header: headers.number,
  headers: {
    [headers.number]: `${about} No other spelling is accepted, so that a gateway has only one header name to set.`,
    [headers.time]: `With ${setting}=signed: time of the signature in epoch seconds or milliseconds.`,
    [headers.sign]: `With ${setting}=signed: hex HMAC-SHA256 of \`${headers.number}.${headers.time}\` with the key ${setting}_SECRET.`,
    [headers.token]: `With ${setting}=campus: the token returned by ${login}.`,
  },
  ways: [[headers.number], [headers.number, headers.time, headers.sign], [headers.number, headers.token]],
  problems: [
    "headerMissing",
    "badFormat",
    "tooLong",
    "tokenEmpty",
    "tokenInvalid",
    "forbidden",
    "outsideNotConfigured",
  ],
});
