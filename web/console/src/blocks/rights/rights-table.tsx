import { Checkbox, Radio } from "antd";
import { useTexts } from "#console/blocks/rights/texts.ts";
import { allSections, useServiceNames } from "#console/sections.ts";
import { type Session, useSession } from "#console/session/session.ts";
import type { Section } from "#console/shell/section.ts";
import "#console/blocks/rights/rights.css";

interface RightsTableProps {
  readonly id?: string;
  readonly value?: Rights;
  readonly onChange?: (value: readonly string[] | null) => void;
  readonly services: readonly string[];
  /** If true, the user cannot choose null, which stands for every right of the role. */
  readonly isExplicit?: boolean;
  /** The user may grant no other rights than these; null for no limit. */
  readonly within?: readonly string[] | null;
}

export function RightsTable({ id, value, onChange, services, isExplicit = false, within = null }: RightsTableProps) {
  const t = useTexts();
  const { duty, rights = null } = useSession() ?? {};
  // Under separation of duties, the security duty may grant any right, but each account gets the rights of one duty
  // only.
  const own = duty ? null : rights;
  const mayGive = (right: string) =>
    (own === null || own.includes(right)) &&
    (within === null || within.includes(right)) &&
    (!duty || [...(value ?? []), right].every((one) => toDuty(one) === toDuty(right)));
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
          onChange={({ target }) => onChange?.(target.value === "all" ? null : duty ? [] : possible.filter(mayGive))}
        />
      )}
      {duty && <div className="q-soft">{t.separated}</div>}
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
  const t = useTexts();
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

interface Props {
  readonly userName: string;
  readonly fromSignOn?: true | undefined;
}

// This is a component, since cell renderers are called as functions and cannot use hooks.

export function AccountName({ userName, fromSignOn }: Props) {
  const t = useTexts();
  return (
    <>
      {userName}
      {fromSignOn && <div className="q-soft">{t.fromSignOn}</div>}
    </>
  );
}

// A right is a service and an operation group, such as "reporting.read".

const groups = ["read", "write", "export", "money", "accounts", "audit"] as const;
type Group = (typeof groups)[number];

export type Rights = readonly string[] | null | undefined;

function listGroups(service: string): readonly Group[] {
  const operations = Object.values<Section["operations"][string]>(
    allSections.find((section) => section.service === service)?.operations ?? {},
  );
  return groups.filter((group) =>
    operations.some(
      ({ who, method, takes = method === "GET" ? "read" : "write", asFile }) =>
        who !== "anyone" && who !== "guest" && (takes === group || asFile === group),
    ),
  );
}

const toDuty = (right: string): string => /\.(accounts|audit)$/.exec(right)?.[1] ?? "system";

export const ownRights = (session: Session | null, ...services: readonly string[]): readonly string[] | null =>
  (session?.duty ? null : session?.rights)?.filter((right) =>
    services.some((service) => right.startsWith(`${service}.`)),
  ) ?? null;

export function useRightsWords(isOfOneService = false): (rights: Rights) => string {
  const t = useTexts();
  const nameService = useServiceNames();
  return (rights) => {
    if (!rights) return t.all;
    if (rights.length === 0) return t.none;
    const byService = Map.groupBy(rights, (right) => right.slice(0, right.lastIndexOf(".")));
    return [...byService]
      .map(([service, own]) => {
        const words = groups.filter((group) => own.includes(`${service}.${group}`)).map((group) => t.groups[group]);
        return isOfOneService ? words.join(t.comma) : t.cell(nameService(service), words.join(t.comma));
      })
      .join(t.semicolon);
  };
}
