import { openGuests } from "#public/blocks/guest.ts";
import { forgetStudent } from "./kept.ts";

export const students = openGuests({
  page: "tuition",
  headers: { number: "card_number", token: "card_token" },
  forget: forgetStudent,
});
export const { identity, ask } = students;
