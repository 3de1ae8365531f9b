/** What is known of a payable's payment. `orders` will settle items one by one; a decision covers them all. */
export type PaidBy = "decision" | "orders" | null;

/** What is paid stays as it was when it was paid. */
export const mayChange = (paidBy: PaidBy): boolean => paidBy === null;

/** A decision can be made about what is unpaid, and made again; what orders have settled is no matter of decision. */
export const mayDecide = (paidBy: PaidBy): boolean => paidBy !== "orders";

/** A grade as people say it: the year of entry is 2022级, and a grade with a name of its own is called by it. */
export const nameGrade = (grade: string): string => (/^\d{4}$/.test(grade) ? `${grade}级` : grade);

/** Identity cards are compared in capitals: their check digit may be an x. */
export const toStoredIdCard = (idCard: string): string => idCard.toUpperCase();

export const statuOf = (processedAt: Date | null): "1" | "2" => (processedAt === null ? "1" : "2");
