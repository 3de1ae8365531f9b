import { Checkbox, Radio } from "antd";
import { useTexts } from "#shared/language/language.ts";
import { type Group, groups, listGroups, type Rights } from "#console/blocks/rights/rights.ts";
import { texts } from "#console/blocks/rights/texts.ts";
import { useServiceNames } from "#console/sections.ts";
import { useSession } from "#console/session/session.ts";
import "#console/blocks/rights/rights.css";

interface RightsTableProps {
  readonly id?: string;
  readonly value?: Rights;
  readonly onChange?: (value: readonly string[] | null) => void;
  readonly services: readonly string[];
  /** Null, all that the role has, is not offered. */
  readonly isExplicit?: boolean;
  /** Beside the own rights, those that may be given. */
  readonly within?: readonly string[] | null;
}

/** Services by groups of operations. What one has not got oneself cannot be given. */
export function RightsTable({ id, value, onChange, services, isExplicit = false, within = null }: RightsTableProps) {
  const t = useTexts(texts);
  const own = useSession()?.rights ?? null;
  const mayGive = (right: string) =>
    (own === null || own.includes(right)) && (within === null || within.includes(right));
  const chooses = isExplicit || value !== null;
  const possible = services.flatMap((service) => listGroups(service).map((group) => `${service}.${group}`));
  return (
    <div id={id}>
      {!isExplicit && (
        <Radio.Group
          value={chooses ? "some" : "all"}
          options={[
            { value: "all", label: t.full, disabled: own !== null },
            { value: "some", label: t.narrowed },
          ]}
          onChange={({ target }) => onChange?.(target.value === "all" ? null : possible.filter(mayGive))}
        />
      )}
      {chooses && (
        <Table services={services} value={value ?? []} mayGive={mayGive} onChange={(next) => onChange?.(next)} />
      )}
    </div>
  );
}

interface TableProps {
  readonly services: readonly string[];
  readonly value: readonly string[];
  readonly mayGive: (right: string) => boolean;
  readonly onChange: (value: readonly string[]) => void;
}

function Table({ services, value, mayGive, onChange }: TableProps) {
  const t = useTexts(texts);
  const nameService = useServiceNames();
  const cell = (service: string, group: Group) => {
    const right = `${service}.${group}`;
    if (!listGroups(service).includes(group)) return <span className="q-soft">–</span>;
    return (
      <Checkbox
        checked={value.includes(right)}
        disabled={!mayGive(right)}
        aria-label={t.cell(nameService(service), t.groups[group])}
        onChange={({ target }) => onChange(target.checked ? [...value, right] : value.filter((one) => one !== right))}
      />
    );
  };
  return (
    <table className="q-rights">
      <thead>
        <tr>
          <th scope="col">{t.service}</th>
          {groups.map((group) => (
            <th key={group} scope="col">
              {t.groups[group]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {services.map((service) => (
          <tr key={service}>
            <th scope="row">{nameService(service)}</th>
            {groups.map((group) => (
              <td key={group}>{cell(service, group)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
