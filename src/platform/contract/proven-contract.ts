import type { Guests } from "#platform/contract/endpoint.ts";

// Guests identified by a number in a header, such as a student's card or employee number. A setting defines how the
// number is proved.

export const provingWays = ["header", "signed", "campus", "demo"] as const;
export type ProvingWay = (typeof provingWays)[number];

/** The header names of the number and its proof. */
export interface NumberHeaders {
  /** Such as `card_number`. */
  readonly number: string;
  readonly time: string;
  readonly sign: string;
  readonly token: string;
}

/** What guest pages are told. */
export interface ToldOfProof {
  /** How guests prove their card or phone number; null if guests cannot use the service. */
  readonly identity: ProvingWay | null;
  /** With `campus`, unless a mini program signs people in: the sign-in pages on a phone and on a desktop. */
  readonly signIn: { readonly phone: string; readonly desk: string } | null;
}

interface Described extends Pick<Guests, "title" | "knownBy"> {
  readonly headers: NumberHeaders;
  /** The number's description, and the login that issues the token. */
  readonly about: string;
  readonly login: string;
  /** Such as LIBRARY_IDENTITY. */
  readonly setting: string;
}

/** Declares such guests in a contract. */
export const provenGuests = ({ title, knownBy, headers, about, login, setting }: Described): Guests => ({
  title,
  knownBy,
  header: headers.number,
  headers: {
    [headers.number]: `${about} In this spelling alone: a gateway that sets it has one name to watch.`,
    [headers.time]: `With ${setting}=signed: when it was signed, in epoch seconds or milliseconds.`,
    [headers.sign]: `With ${setting}=signed: hex HMAC-SHA256 of \`${headers.number}.${headers.time}\` under ${setting}_SECRET.`,
    [headers.token]: `With ${setting}=campus: the token that ${login} answers with.`,
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
