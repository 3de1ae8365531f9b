import { type NumberHeaders, provenGuests } from "#platform/contract/proven-contract.ts";

export const cardHeaders: NumberHeaders = {
  number: "card_number",
  time: "card_time",
  sign: "card_sign",
  token: "card_token",
};

export const students = provenGuests({
  title: "students, identified by their card number",
  knownBy: "card",
  headers: cardHeaders,
  about: "The card number of the student.",
  login: "the students' login",
  setting: "STUDENT_IDENTITY",
});
