export interface RowError {
  readonly row: number;
  readonly field: string;
  readonly message: string;
}

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

interface Told {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  readonly data?: unknown;
  readonly retryAfterSeconds?: number | undefined;
}

/** A failed call with a user-facing message. `code` is the API's, or the page's own, such as "network". */
export class CallFailure extends Error {
  readonly code: string;
  readonly status: number;
  readonly rows: readonly RowError[];
  readonly fields: readonly FieldError[];
  /** The data of the failed response, such as the accounts to choose from. */
  readonly data: unknown;
  readonly retryAfterSeconds: number | undefined;
  constructor({ code, message, status, data, retryAfterSeconds }: Told) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
    this.rows = readRows(data);
    this.fields = readFields(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

function readRows(data: unknown): readonly RowError[] {
  const errors = typeof data === "object" && data !== null && "errors" in data ? data.errors : undefined;
  return Array.isArray(errors) ? (errors as RowError[]) : [];
}

/**
 * Parses the fields of `参数格式校验失败：name: 不能为空; bProduct[0]: …`. An error in an element of a list is reported for
 * the list.
 */
function readFields(message: string): readonly FieldError[] {
  const detail = /^[^：:]*(?:：|: )(.*)$/s.exec(message)?.[1] ?? "";
  return detail.split("; ").flatMap((part) => {
    const [, field, , said] = /^([A-Za-z]\w*)((?:\[\d+\]|\.\w+)*): (.*)$/s.exec(part) ?? [];
    return field && said ? [{ field, message: said }] : [];
  });
}
