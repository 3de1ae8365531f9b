import { DownOutlined, UpOutlined } from "@ant-design/icons";
import { Button, Form } from "antd";
import { useEffect, useId, useState } from "react";
import { type Field, FormField } from "#console/blocks/fields.tsx";
import { useTexts } from "#console/blocks/texts.ts";
import { useIsPhone } from "#shared/media.ts";

interface SearchFormProps {
  readonly fields: readonly Field[];
  readonly filters: Readonly<Record<string, string>>;
  readonly onSearch: (filters: Readonly<Record<string, string>>) => void;
}

// On a phone more fields would push the list out of sight.
const shownWhenFolded = { desk: 3, phone: 1 };

export function SearchForm({ fields, filters, onSearch }: SearchFormProps) {
  const t = useTexts();
  const [form] = Form.useForm<Record<string, unknown>>();
  const shownCount = shownWhenFolded[useIsPhone() ? "phone" : "desk"];
  const inUse = fields.slice(shownCount).some((field) => toValue(field, filters) !== undefined);
  const [unfolded, setUnfolded] = useState(inUse);
  const foldable = fields.length > shownCount;
  const shown = foldable && !unfolded ? fields.slice(0, shownCount) : fields;
  const address = JSON.stringify(filters);
  // A link or Back may change the filters in the address. The effect depends on their JSON text, since the filter
  // objects are new in each render.
  // oxlint-disable react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies
  useEffect(() => {
    form.setFieldsValue(Object.fromEntries(fields.map((field) => [field.name, toValue(field, filters)])));
  }, [address, form]);
  // oxlint-enable react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies
  const submit = (given: Record<string, unknown>) => onSearch(toTexts({ ...filters, ...toNames(fields, given) }));
  const reset = () => {
    form.resetFields();
    onSearch({});
  };
  return (
    <Form
      name={useId()}
      form={form}
      className="q-card q-search"
      labelAlign="right"
      colon={false}
      onFinish={submit}
      role="search"
    >
      {shown.map((field) => (
        <FormField key={field.name} field={field} />
      ))}
      <div className="q-search-end">
        <Button onClick={reset}>{t.reset}</Button>
        <Button type="primary" htmlType="submit">
          {t.search}
        </Button>
        {foldable && (
          <Button type="link" aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>
            {unfolded ? t.less : t.more}
            {unfolded ? <UpOutlined aria-hidden /> : <DownOutlined aria-hidden />}
          </Button>
        )}
      </div>
    </Form>
  );
}

function toNames(fields: readonly Field[], given: Record<string, unknown>): Record<string, unknown> {
  const pairs = fields.flatMap((field) => {
    if (!(field.name in given)) return [];
    if (field.kind !== "span") return [[field.name, given[field.name] ?? ""] as const];
    const [from = "", to = ""] = ((given[field.name] as string | undefined) ?? "").split(",");
    return [[field.from, from] as const, [field.to, to] as const];
  });
  return Object.fromEntries(pairs);
}

/** The address holds a select's number as text, so the option with that number is looked up. */
function toValue(field: Field, filters: Readonly<Record<string, string>>): unknown {
  if (field.kind === "span") {
    const [from = "", to = ""] = [filters[field.from], filters[field.to]];
    return from || to ? `${from},${to}` : undefined;
  }
  const text = filters[field.name];
  if (text === undefined || !("options" in field)) return text;
  return field.options.find(({ value }) => String(value) === text)?.value ?? text;
}

const toTexts = (given: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, String(value).trim()]),
  );
