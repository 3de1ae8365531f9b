import { Select } from "antd";
import { dimensions } from "#shared/dimensions.ts";
import { platform } from "#shared/api/platform.ts";
import { useLanguage } from "#shared/language/language.ts";
import { joinWords } from "#console/blocks/format.ts";
import { useTexts } from "#console/blocks/scope/texts.ts";
import { useRead } from "#console/call/use-call.ts";
import { useServiceNames } from "#console/sections.ts";
import type { Session } from "#console/session/session.ts";
import "#console/blocks/scope/scope.css";

// A scope lists the permitted values of each dimension; a dimension without a list permits all.

export type Scope = Session["scope"];

interface ScopeFieldsProps {
  readonly id?: string;
  readonly value?: Scope;
  readonly onChange?: (value: Scope) => void;
  readonly services: readonly string[];
}

export function ScopeFields({ id, value, onChange, services }: ScopeFieldsProps) {
  const t = useTexts();
  const nameService = useServiceNames();
  const narrowed = services.filter((service) => dimensions[service]);
  if (narrowed.length === 0)
    return (
      <span id={id} className="q-soft">
        {t.nothing}
      </span>
    );
  return (
    <div id={id} className="q-scope">
      {narrowed.map((service) => (
        <fieldset key={service}>
          {narrowed.length > 1 && <legend>{nameService(service)}</legend>}
          <ServiceFields service={service} value={value} {...(onChange && { onChange })} />
        </fieldset>
      ))}
    </div>
  );
}

function ServiceFields({
  service,
  value,
  onChange,
}: Omit<ScopeFieldsProps, "services"> & { readonly service: string }) {
  const t = useTexts();
  const [language] = useLanguage();
  const { data } = useRead(platform.listScopes, { query: { service } });
  const change = (name: string, chosen: string[]) => {
    const { [name]: _, ...others } = value ?? {};
    const next = chosen.length > 0 ? { ...others, [name]: chosen } : others;
    onChange?.(Object.keys(next).length > 0 ? next : null);
  };
  return Object.entries(dimensions[service] ?? {}).map(([name, label]) => (
    <label key={name}>
      <span>{label[language]}</span>
      <Select
        mode="tags"
        value={value?.[name] ?? []}
        placeholder={t.all}
        aria-label={label[language]}
        options={data?.find(({ dimension }) => dimension === name)?.values.map((each) => ({ value: each })) ?? []}
        onChange={(chosen: string[]) => change(name, chosen)}
      />
    </label>
  ));
}

export function useScopeWords(): (scope: Scope) => string {
  const t = useTexts();
  const [language] = useLanguage();
  const labels = Object.assign({}, ...Object.values(dimensions)) as NonNullable<(typeof dimensions)[string]>;
  return (scope) =>
    Object.entries(scope ?? {})
      .map(([name, values = []]) => t.pair(labels[name]?.[language] ?? name, joinWords(values)))
      .join(t.semicolon);
}
