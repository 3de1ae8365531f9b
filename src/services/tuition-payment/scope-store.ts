import type { Statement, Within } from "#platform/database/index.ts";
import { places } from "./scope-contract.ts";

export const listOfPayable = (statement: Statement, within: Within, id: string): string[] =>
  within.isEverywhere
    ? []
    : [
        `exists (select from tuition_payment.payable where ${[`payable.id = ${id}`, ...within.list(statement, places)].join(" and ")})`,
      ];

/**
 * An order is in the scope only if all of its payables are, since the order's total would otherwise reveal amounts
 * outside the scope.
 */
export const listOfOrder = (statement: Statement, within: Within): string[] =>
  within.isEverywhere
    ? []
    : [
        `not exists (select from tuition_payment.order_item as part left join tuition_payment.payable
          on ${["payable.id = part.payable_id", ...within.list(statement, places)].join(" and ")}
          where part.order_id = pay_order.id and payable.id is null)`,
      ];
