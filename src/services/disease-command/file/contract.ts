import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import { freeText } from "#platform/contract/wire.ts";
import { open, prefix, token } from "#services/disease-command/record-contract.ts";

export const fileEndpoints = {
  uploadImage: endpoint({
    method: "POST",
    url: `${prefix}/file/imageUpload`,
    summary: "Upload an image for a record to name; one that no record names is removed after 24 hours",
    ...token,
    upload: { limit: "upload", imagesOnly: true },
    answer: {
      as: "envelope",
      data: z.object({
        imageName: z.string().describe("What a record names it by"),
        url: z.string().describe("The path that serves it, or its address where PUBLIC_URL is set"),
      }),
    },
    idempotent: true,
    problems: ["notAllowedNow", "outsideFailed"],
  }),
  readFile: endpoint({
    method: "GET",
    url: `${prefix}/file/:name`,
    summary: "Read an uploaded file",
    ...open,
    params: z.object({ name: freeText() }),
    // Names are random, contents never change, and the screen is there for everybody.
    caching: "public, max-age=31536000, immutable",
    answer: { as: "file", mime: "application/octet-stream" },
    problems: ["notFound", "outsideFailed"],
    own: true,
  }),
};
