import * as z from "zod";
import {
  accountEndpoints,
  administratorEndpoints as sharedEndpoints,
  fromSignOn,
  loginEndpoint,
  rights,
  session,
} from "#platform/accounts/administrator-contract.ts";
import { rightsField } from "#platform/contract/rights.ts";
import { scopeField } from "#platform/contract/scope.ts";
import { freeText, recordId, requiredText } from "#platform/contract/wire.ts";
import { get, open, post, prefix, token, undocumented } from "./record-contract.ts";
import { dimensions } from "./scope-contract.ts";

const scope = scopeField(Object.keys(dimensions)).optional();
const fields = {
  userName: requiredText(),
  ...rights,
  rights: rightsField(["disease-command"]).optional(),
  scope,
};
const created = z.object({ ...fields, password: z.string().min(1).meta({ minLength: 8, maxLength: 128 }) });

export const administrator = z.object({
  id: recordId(),
  ...fields,
  password: z.null().describe("Never returned"),
  fromSignOn,
});

export const administratorEndpoints = {
  login: loginEndpoint(`${prefix}/adminInfo`, {
    summary: "Log in",
    data: z.object({ userName: z.string(), userType: rights.adminType, ...session, scope }),
  }),
  ...sharedEndpoints(`${prefix}/adminInfo`, {
    record: administrator,
    created,
    changed: created.partial().extend({ id: recordId().optional() }),
    listing: undocumented,
  }),
  ...accountEndpoints(`${prefix}/adminInfo`),
};

export const fileEndpoints = {
  uploadImage: post("/file/imageUpload", {
    summary: "Upload an image for a record; unused images are deleted after 24 hours",
    ...token,
    upload: { limit: "upload", imagesOnly: true },
    data: z.object({
      imageName: z.string().describe("File name, used in records to refer to the image"),
      url: z.string().describe("Path of the image, or its full address if PUBLIC_URL is set"),
    }),
    idempotent: true,
    problems: ["notAllowedNow", "outsideFailed"],
  }),
  readFile: get("/file/:name", {
    summary: "Read an uploaded file",
    ...open,
    params: z.object({ name: freeText() }),
    // A file's name is random and its content never changes, so caches may keep it for a year. Shared caches may keep
    // it too, since the screen that shows the file is public.
    caching: "public, max-age=31536000, immutable",
    answer: { as: "file", mime: "application/octet-stream" },
    problems: ["notFound", "outsideFailed"],
    own: true,
  }),
};
