import {
  type Dimensions,
  listNamed,
  narrowTo,
  outsideScope,
  type Places,
  type Scope,
  toLikePatterns,
  toPathPatterns,
} from "#platform/contract/scope.ts";
import { Fragment, sql } from "./sql.ts";
import type { Statement } from "./statement.ts";

interface Condition {
  readonly dimension: string;
  readonly texts: readonly string[];
  readonly isPath: boolean;
}

// The regular expression takes five times as long as `like`, so it runs only on records that pass `like`. The planner
// assumes that half of the records pass a `case`; with `and` instead, it would expect far fewer than really pass.
function meets({ place, texts, isPath }: Omit<Condition, "dimension"> & { readonly place: string }): Fragment {
  const at = sql.raw(place);
  return isPath
    ? sql`case when ${at} like any(${toLikePatterns(texts)}::text[]) then ${at} ~ any(${toPathPatterns(texts)}::text[]) end`
    : sql`${at} = any(${texts}::text[])`;
}

const toText = ({ texts, parts }: Fragment, statement: Pick<Statement, "value">): string =>
  texts.reduce((text, next, n) => {
    const part = parts[n - 1];
    return text + (part instanceof Fragment ? toText(part, statement) : statement.value(part)) + next;
  });

/**
 * Limits a store to the records that a caller may see and change. Only this class can create an instance, so a store
 * that requires one cannot be called without a limit; `everywhere` allows all records.
 */
export class Within {
  readonly #conditions: readonly Condition[] | null;

  private constructor(conditions: readonly Condition[] | null) {
    this.#conditions = conditions;
  }

  static readonly everywhere = new Within(null);

  static of(scope: Scope, dimensions: Dimensions): Within {
    const narrowed = narrowTo(scope, dimensions);
    if (narrowed === null) return Within.everywhere;
    const conditions = listNamed(narrowed).map(([dimension, texts]) => ({
      dimension,
      texts,
      isPath: dimensions[dimension]?.isPath === true,
    }));
    return new Within(conditions);
  }

  /** Limits this further to the records with exactly this text in the dimension. */
  narrowedBy(dimension: string, text: string): Within {
    return new Within([...(this.#conditions ?? []), { dimension, texts: [text], isPath: false }]);
  }

  get isEverywhere(): boolean {
    return this.#conditions === null;
  }

  /**
   * Returns one condition for each dimension of the scope that the table has. A table without any of them is outside
   * the scope.
   */
  list(statement: Pick<Statement, "value">, places: Places): string[] {
    const found = this.#at(places);
    if (this.#conditions !== null && found.length === 0) return ["false"];
    return found.map((condition) => toText(meets(condition), statement));
  }

  and(places: Places): Fragment {
    return this.isEverywhere ? sql`` : sql`and ${this.holds(places)}`;
  }

  /** The expression is never null, so it can also be selected in `returning`. */
  holds(places: Places): Fragment {
    if (this.isEverywhere) return sql`true`;
    const found = this.#at(places);
    if (found.length === 0) return sql`false`;
    return sql`coalesce(${sql.join(found.map(meets), " and ")}, false)`;
  }

  /**
   * Undefined values are not changed and therefore not checked.
   * @throws {Problem} forbidden if the new or changed record would be outside the scope
   */
  refuseOutside(values: Readonly<Record<string, string | null | undefined>>): void {
    if (this.#conditions === null) return;
    const told = this.#conditions.filter(({ dimension }) => Object.hasOwn(values, dimension));
    const lies = told.every(({ dimension, texts }) => {
      const value = values[dimension];
      return value === undefined || texts.includes(value ?? "");
    });
    if (told.length === 0 || !lies) throw outsideScope();
  }

  #at(places: Places) {
    return (this.#conditions ?? []).flatMap(({ dimension, ...condition }) => {
      const place = Object.hasOwn(places, dimension) ? places[dimension] : undefined;
      return place === undefined ? [] : [{ place, ...condition }];
    });
  }
}
