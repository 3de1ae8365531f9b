import * as z from "zod";
import { byOperators, ofAccounts } from "#platform/accounts/administrator-contract.ts";
import { under } from "#platform/contract/endpoint.ts";
import { clearableText, freeText } from "#platform/contract/wire.ts";

const fields = {
  name: freeText(60).describe('Name shown on pages, workbooks and messages; "": no name'),
  nameEn: freeText(120).describe('English name; "": same as name'),
  color: clearableText(/^#[\da-f]{6}$/i, 7, {
    zh: "应为 #rrggbb 格式的颜色",
    en: "must be a colour in the format #rrggbb",
  }).describe("Main colour of pages; darkened or lightened where text would be illegible"),
  logo: freeText().describe('imageName returned by the upload; "": no logo'),
  seal: freeText().describe('imageName returned by the upload, printed on receipts; "": no seal'),
};

const prefix = "/platform/institution";
const { get } = under(prefix);
const operator = under(prefix, byOperators);

export const institutionEndpoints = {
  readInstitution: get("", {
    ...ofAccounts,
    summary: "Read the institution shown on pages, workbooks, receipts and messages",
    data: z.object(fields),
  }),
  changeInstitution: operator.put("", {
    summary: "Change the institution; omitted fields are unchanged",
    body: z.object(fields).partial(),
    problems: ["notAllowedNow"],
  }),
  uploadInstitutionPicture: operator.post("/picture", {
    summary: "Upload a logo or a seal; unused pictures are deleted after 24 hours",
    upload: { limit: "upload", imagesOnly: true },
    data: z.object({ imageName: z.string() }),
    idempotent: true,
    problems: ["notAllowedNow", "outsideFailed"],
  }),
  readInstitutionPicture: get("/picture/:name", {
    summary: "Read a picture of the institution",
    access: { who: "anyone" },
    params: z.object({ name: freeText() }),
    caching: "public, max-age=31536000, immutable",
    answer: { as: "file", mime: "application/octet-stream" },
    problems: ["notFound", "outsideFailed"],
    own: true,
  }),
};

export type InstitutionEndpoints = typeof institutionEndpoints;
