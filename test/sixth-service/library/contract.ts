import * as z from "zod";
import { type Guests, type ServiceContract, under } from "#platform/contract/endpoint.ts";
import { sharedProblems } from "#platform/contract/problem.ts";
import { recordId, requiredText } from "#platform/contract/wire.ts";

const readers: Guests = {
  title: "readers, identified by their number",
  knownBy: "reader",
  header: "reader_number",
  headers: { reader_number: "The number of the reader.", reader_key: "The key of the library's desk." },
  ways: [["reader_number", "reader_key"]],
  problems: ["headerMissing", "tokenInvalid"],
};

const book = z.object({ id: recordId(), title: z.string(), reader: z.string().nullable() });

const { get, post } = under("/library/book");

export const endpoints = {
  listBooks: get("/list", {
    summary: "The books, and who has them",
    access: { who: "administrator", headerUndocumented: true },
    data: z.array(book),
  }),
  saveBook: post("/save", {
    summary: "Add a book",
    access: { who: "administrator" },
    body: z.object({ title: requiredText(255) }),
    problems: ["alreadyExists"],
  }),
  borrowBook: post("/:id/borrow", {
    summary: "Take a book home",
    access: { who: "guest", guests: readers, mostPerMinute: 2 },
    params: z.object({ id: recordId() }),
    problems: ["notFound"],
  }),
};

export const library: ServiceContract<typeof endpoints> = {
  name: "library",
  title: { zh: "图书馆", en: "Library" },
  about: { zh: "借书与还书", en: "Books, lent and given back" },
  color: "#7c3aed",
  problems: sharedProblems,
  endpoints,
};
