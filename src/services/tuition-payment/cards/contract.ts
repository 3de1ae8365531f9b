import type { Guests } from "#platform/contract/endpoint.ts";

/** Students, whom STUDENT_IDENTITY says how to believe: by nothing but the number of the card, a signature, or a token. */
export const students: Guests = {
  title: "students, each by the own card",
  knownBy: "card",
  header: "card_number",
  headers: {
    card_number:
      "The number of the student's card. In this spelling alone: a gateway that sets it has one name to watch.",
    card_time: "With STUDENT_IDENTITY=signed: when it was signed, in epoch seconds or milliseconds.",
    card_sign:
      "With STUDENT_IDENTITY=signed: hex HMAC-SHA256 of `card_number.card_time` under STUDENT_IDENTITY_SECRET.",
    card_token: "With STUDENT_IDENTITY=campus: the token that the students' login answers with.",
  },
  ways: [["card_number"], ["card_number", "card_time", "card_sign"], ["card_number", "card_token"]],
  problems: [
    "headerMissing",
    "badFormat",
    "tooLong",
    "tokenEmpty",
    "tokenInvalid",
    "forbidden",
    "outsideNotConfigured",
  ],
};

/** What the students' pages are told. */
export interface ToldToStudents {
  /** How cards are proved; null: they are not, and students are not served. */
  readonly identity: "header" | "signed" | "campus" | "demo" | null;
  /** With `campus`, unless a mini program signs people in: the pages to sign in at, on a phone and on a desk. */
  readonly signIn: { readonly phone: string; readonly desk: string } | null;
}
