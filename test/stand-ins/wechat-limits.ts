// WeChat's table of what a template's fields take, written apart from the code that shapes values to it,
// so that a mistake in one is found by the other.

const clock = String.raw`\d{2}:\d{2}(:\d{2})?`;
const day = String.raw`\d{4}年\d{1,2}月\d{1,2}日`;

const patterns: Record<string, RegExp> = {
  thing: /^.{1,20}$/u,
  number: /^(?=.{1,32}$)-?\d+(\.\d+)?$/,
  letter: /^[A-Za-z]{1,32}$/,
  symbol: /^[^\p{L}\p{N}\s]{1,5}$/u,
  character_string: /^[\x20-\x7e]{1,32}$/,
  time: new RegExp(`^(${day} )?${clock}(~(${day} )?${clock})?$`),
  date: new RegExp(`^${day}( ${clock})?(~${day}( ${clock})?)?$`),
  amount: /^[¥￥$€£]?\d{1,10}(\.\d+)?元?$/,
  phone_number: /^[\d+()# -]{1,17}$/,
  car_number: /^[\p{Script=Han}A-Za-z\d]{1,8}$/u,
  name: /^(?:[^\p{N}]{1,10}|[^\p{N}\p{Script=Han}]{1,20})$/u,
  phrase: /^\p{Script=Han}{1,5}$/u,
  enum: /^.+$/u,
  const: /^.+$/u,
};

/** Whether WeChat would take the value for the field; it counts what it is given, so blanks alone are empty. */
export function fitsField(key: string, value: unknown): boolean {
  const pattern = patterns[key.replace(/\d+$/, "")];
  return typeof value === "string" && value.trim() !== "" && pattern !== undefined && pattern.test(value);
}
