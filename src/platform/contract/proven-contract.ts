import type { Guests } from "#platform/contract/endpoint.ts";

// Guests of these services are identified by a number in a header, such as a student's card number. A setting chooses
// how the number is proved.

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
   * The addresses of the sign-in pages for phones and desktops. They exist only if `identity` is "campus" and there is
   * no mini program.
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
