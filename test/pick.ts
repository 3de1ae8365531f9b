export const pick = (rows: readonly object[], ...fields: readonly string[]): unknown[] =>
  rows.map((row) => {
    const values = fields.map((field): unknown => Reflect.get(row, field));
    return values.length === 1 ? values[0] : values.map(String).join(" ");
  });
