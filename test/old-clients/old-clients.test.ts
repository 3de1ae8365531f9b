import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { contracts } from "#quintet/app.ts";
import { findPlanted, plantNewStudent } from "./at-rest.ts";
import { openStage } from "./ground.ts";

// The clients of the interface documents call each of the hundred operations, once as documented and once in the style
// of pages written against a lenient server, with the three compatibility settings and a data key. Each deviation must
// be a row of docs/interface/.

const pages = await Array.fromAsync(glob(fileURLToPath(new URL("../../docs/interface/*.md", import.meta.url))));
const decisions = (await Promise.all(pages.map((page) => readFile(page, "utf8")))).join("\n");
const styles = { "as the documents have them": false, "as old pages send them": true };

for (const [style, isOldPage] of Object.entries(styles)) {
  describe(`the documented operations, ${style}`, async () => {
    const { services, ground, app, token, play } = await openStage(isOldPage);
    for (const [service, operations] of Object.entries(services))
      describe(service, () => {
        for (const operation of operations) test(operation.call, () => play(operation));
      });

    test("are a hundred, and all that the contracts take from the documents", () => {
      const played = Object.values(services)
        .flat()
        .map(({ call }) => call.replaceAll(/\{\w+\}/g, ":"));
      const served = contracts
        .filter(({ name }) => name !== "platform")
        .flatMap(({ endpoints }) => Object.values(endpoints))
        .filter(({ own, url }) => !own && !/(?:admininfo|adminInfo)\/updatePassword$/.test(url))
        .map(({ method, url }) => `${method} ${url.replaceAll(/:\w+/g, ":")}`);
      assert.equal(played.length, 100);
      assert.deepEqual(played.toSorted(), served.toSorted());
    });

    test(
      isOldPage ? "leave no identity card or number in clear under a data key" : "without a data key are found at rest",
      async () => {
        const places = await findPlanted(app.pool, await plantNewStudent(app, token));
        const unsealed = [
          "attendance.identity.id_card",
          "attendance.result.id_card",
          "platform.rate_count.address",
          ...["phone", "search", "wx_phone"].map((name) => `reporting.report.${name}`),
          ...["feedback.card_number", "feedback.phone", "pay_order.card_number", "payable.id_card"].map(
            (name) => `tuition_payment.${name}`,
          ),
        ];
        assert.deepEqual(places, isOldPage ? [] : unsealed);
      },
    );

    test("differ from the documents by decisions alone", () => {
      assert.ok(ground.decisions.size > 5);
      for (const decision of ground.decisions) assert.ok(decisions.includes(`\n| ${decision} |`), decision);
    });
  });
}
