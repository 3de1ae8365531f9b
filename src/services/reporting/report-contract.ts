import * as z from "zod";
import {
  dateTime,
  freeText,
  oneOfNumbers,
  period,
  personal,
  phoneNumber,
  recordId,
  requiredText,
} from "#platform/contract/wire.ts";

const submission = {
  name: requiredText(32)
    .describe("Submitter's name")
    .meta({ examples: ["张三"] }),
  phone: phoneNumber()
    .describe("Submitter's phone number")
    .meta({ examples: ["555 0100 0001"] }),
  wxPhone: freeText(32).optional().describe("Phone number bound to the messaging platform"),
  company: requiredText(128)
    .describe("Organisation")
    .meta({ examples: ["示例科技有限公司"] }),
  customerName: requiredText(128)
    .describe("Customer")
    .meta({ examples: ["示例大学"] }),
  entryName: requiredText(128)
    .describe("Project")
    .meta({ examples: ["智慧教室建设项目"] }),
  projectAmount: requiredText(64)
    .describe("Project amount")
    .meta({ examples: ["120万元"] }),
  tenderTime: dateTime().describe("Expected tender time"),
  content: freeText(4000).optional().describe("Basic description of the project"),
  parameters: freeText(4000).optional().describe("Bid-control parameters"),
  trade: requiredText(64)
    .describe("Industry")
    .meta({ examples: ["教育"] }),
  licensing: requiredText(64)
    .describe("Whether authorised")
    .meta({ examples: ["是"] }),
  product: freeText(64).optional().describe("Product"),
  bProduct: z
    .array(requiredText(64))
    .min(1)
    .max(50)
    .describe("Product types")
    .meta({ examples: [["交换机", "服务器"]] }),
  bFile: z.array(freeText(256)).max(20).optional().describe("References to uploaded files"),
  file: freeText(256).optional().describe("Reference to an uploaded file"),
};

export const newReport = z.object({
  ...submission,
  code: freeText(255)
    .optional()
    .describe("Authorization code of the messaging platform, so that the submitter can receive messages"),
});

const nullable = <T extends z.ZodType>(schema: T) => schema.nullable();

export const report = z.object({
  id: recordId(),
  name: z.string(),
  phone: personal("phone", z.string()),
  wxPhone: nullable(personal("phone", z.string())),
  company: z.string(),
  customerName: z.string(),
  entryName: z.string(),
  projectAmount: z.string(),
  tenderTime: dateTime(),
  content: nullable(z.string()),
  parameters: nullable(z.string()),
  trade: z.string(),
  licensing: z.string(),
  product: nullable(z.string()),
  bProduct: z.array(z.string()),
  bFile: nullable(z.array(z.string())),
  file: nullable(z.string()),
  status: oneOfNumbers([0, 1]).describe("0 closed, 1 in progress"),
  delStatus: oneOfNumbers([0, 1]).describe("0 deleted, 1 normal"),
  valid: oneOfNumbers([0, 1, 2]).describe("0 not judged, 1 valid, 2 invalid"),
  ps: nullable(z.string()).describe("Remark of the last verdict"),
  reportingTime: dateTime(),
  updateTime: dateTime(),
});

const what = ["submitted", "judged", "returned", "supplemented", "closed", "deleted"] as const;
const ownVerdict = oneOfNumbers([0, 1, 2, 3]).describe("0 not judged, 1 valid, 2 invalid, 3 returned for supplement");

/**
 * Operations beyond the documented ones return this record. Its `valid` distinguishes returned reports from reports
 * without a verdict.
 */
export const reviewedReport = report.extend({ valid: ownVerdict });

export const reportWithHistory = reviewedReport.extend({
  receipt: z.string().describe("The submitter's receipt, which may be shared. Not in the interface documents"),
  events: z
    .array(
      z.object({
        time: dateTime(),
        what: z.enum(["submitted", "judged", "supplemented", "closed", "deleted", "messageSent", "messageRefused"]),
        by: z
          .object({ userName: z.string(), name: z.string() })
          .nullable()
          .describe("Administrator, with the name at that time; null: the submitter or the server"),
        valid: oneOfNumbers([1, 2, 3]).nullable().describe("Only for judged: 1 valid, 2 invalid, 3 returned"),
        ps: nullable(z.string()).describe("Only for judged: the remark"),
        changes: z
          .array(z.object({ field: z.string(), before: z.string(), after: z.string() }))
          .optional()
          .describe("Only for supplemented: the submitter's changes"),
      }),
    )
    .describe("Oldest first"),
});

export const similarReport = reviewedReport
  .pick({
    id: true,
    entryName: true,
    customerName: true,
    company: true,
    tenderTime: true,
    reportingTime: true,
    status: true,
    valid: true,
  })
  .extend({
    score: z.number().min(0).max(1).describe("Similarity of customer and project names"),
    isAlike: z.boolean().describe("Whether the similarity suggests the same project"),
    isEarlier: z.boolean().describe("Whether this report was submitted before the requested one"),
  });

export const receiptOfReport = reviewedReport
  .pick({ entryName: true, reportingTime: true, status: true, delStatus: true, valid: true, ps: true })
  .extend({
    changes: z
      .array(
        z.object({
          what: z.enum(what),
          time: dateTime(),
          ps: z.string().optional().describe("For returned: the remark"),
        }),
      )
      .describe("Oldest first"),
  });

const { name: _name, phone: _phone, wxPhone: _wxPhone, ...project } = submission;

/** The submitter of a returned report may change the project's fields, but not the personal ones. */
export const supplement = z.object(project).partial();

export const supplementedReport = reviewedReport.pick(
  Object.fromEntries(Object.keys(project).map((field) => [field, true])) as { [F in keyof typeof project]: true },
);

export const ownReport = receiptOfReport.extend({
  receipt: z.string().describe("Receipt, with which anyone can read the report's state"),
});

/** The header has two names, since many proxies drop headers with underscores in their names. */
export const submitterHeaders = {
  report_openid_token: "Token returned by POST /reporting/wx/session, which identifies the submitter for two hours",
  "report-openid-token": "Same as report_openid_token",
} as const;

export type ReportField = keyof z.output<typeof report>;

export const reportFields = Object.keys(report.shape) as [ReportField, ...ReportField[]];

export const reportFilter = {
  name: freeText(255).optional(),
  company: freeText(255).optional(),
  trade: freeText(255).optional(),
  reportingTime: period().optional().describe("Creation time"),
  valid: oneOfNumbers([0, 1, 2, 3])
    .optional()
    .describe("0 not judged, 1 valid, 2 invalid, 3 returned for supplement. Not in the interface documents"),
  keyword: freeText(255)
    .optional()
    .describe("Substring of entryName, customerName or phone. Not in the interface documents"),
};
