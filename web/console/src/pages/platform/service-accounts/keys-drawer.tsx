import { Button, Modal } from "antd";
import dayjs from "dayjs";
import { useState } from "react";
import { platform } from "#shared/api/platform.ts";
import { CopyText } from "#console/blocks/copy-text.tsx";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { IfMay, RowAction } from "#console/blocks/buttons.tsx";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";
import { RightsTable, useRightsWords } from "#console/blocks/rights/rights-table.tsx";
import { useTexts as useRightsTexts } from "#console/blocks/rights/texts.ts";
import { Status } from "#console/blocks/status.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useServiceAccountTexts as useTexts } from "#console/pages/platform/texts.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { useSession } from "#console/session/session.ts";

type Key = RecordOf<typeof platform.listAccessKeys>;

const tones = { valid: "success", rotated: "processing", expired: "default", revoked: "default" } as const;

// The alert on expiring keys uses the same period (`endingDays`).
const soonMs = 14 * 86_400_000;

const endsSoon = ({ state, expireTime }: Key): boolean =>
  state === "valid" && dayjs(expireTime).valueOf() < Date.now() + soonMs;

export function KeysDrawer({ account, onClose }: { readonly account: ServiceAccount; readonly onClose: () => void }) {
  const t = useTexts();
  const r = useRightsTexts();
  const sayRights = useRightsWords();
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<string>();
  const { data, error, refetch } = useRead(platform.listAccessKeys, { query: { accountId: account.id } });
  const columns = useColumns(account, setMade);
  return (
    <DetailDrawer
      title={t.keysOf(account.userName)}
      width={1080}
      details={[
        { label: t.purpose, value: account.name, wide: true },
        { label: r.rights, value: sayRights(account.rights), wide: true },
      ]}
      actions={
        account.endable && (
          <IfMay operation={platform.createAccessKey}>
            <Button type="primary" onClick={() => setMaking(true)}>
              {t.createKey}
            </Button>
          </IfMay>
        )
      }
      onClose={onClose}
    >
      {error && <Failure failure={error} onRetry={refetch} />}
      {data && (
        <div className="q-sheet-part">
          <Records<Key> rowKey={({ id }) => id} rows={data} columns={columns} empty={t.noKeys} />
        </div>
      )}
      {making && <KeyForm account={account} onMade={setMade} onClose={() => setMaking(false)} />}
      {made !== undefined && <ShownKey text={made} onClose={() => setMade(undefined)} />}
    </DetailDrawer>
  );
}

function useColumns(account: ServiceAccount, show: (key: string) => void): Column<Key>[] {
  const t = useTexts();
  const confirm = useConfirm();
  const rotate = useChange(platform.rotateAccessKey);
  const revoke = useChange(platform.revokeAccessKeys, { done: t.revoked });
  const askRotate = ({ id, mark }: Key) =>
    confirm({
      title: t.rotateTitle(mark),
      needs: platform.rotateAccessKey,
      about: t.rotateAbout,
      verb: t.rotate,
      danger: false,
      work: async () => show((await rotate.mutateAsync({ body: { id } })).key),
    });
  const askRevoke = ({ id, mark }: Key) =>
    confirm({
      title: t.revokeTitle(mark),
      needs: platform.revokeAccessKeys,
      about: t.revokeAbout,
      verb: t.revoke,
      work: () => revoke.mutateAsync({ body: [id] }),
    });
  return [
    { field: "mark", title: t.mark, width: 80 },
    { field: "name", title: t.keyName, width: 160, wraps: true },
    {
      field: "state",
      title: t.state,
      width: 110,
      render: (key) =>
        endsSoon(key) ? (
          <Status tone="warning">{t.endsSoon}</Status>
        ) : (
          <Status tone={tones[key.state]}>{t.states[key.state]}</Status>
        ),
    },
    {
      field: "networks",
      title: t.networks,
      width: 150,
      wraps: true,
      render: ({ networks }) => networks?.join(", ") ?? t.anywhere,
    },
    { field: "expireTime", title: t.expireTime, width: 165 },
    { field: "lastUseTime", title: t.lastUse, width: 165, render: ({ lastUseTime }) => lastUseTime ?? t.never },
    { field: "uses", title: t.uses, width: 100, align: "right" },
    actionColumn(
      t.actions,
      140,
      (key) =>
        account.endable &&
        (key.state === "valid" || key.state === "rotated") && (
          <>
            {key.state === "valid" && (
              <RowAction
                needs={platform.rotateAccessKey}
                label={t.rotateNamed(key.mark)}
                onClick={() => askRotate(key)}
              >
                {t.rotate}
              </RowAction>
            )}
            <RowAction
              danger
              needs={platform.revokeAccessKeys}
              label={t.revokeNamed(key.mark)}
              onClick={() => askRevoke(key)}
            >
              {t.revoke}
            </RowAction>
          </>
        ),
    ),
  ];
}

/** A key is shown only once, so a click outside does not close the dialog. */
function ShownKey({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  const t = useTexts();
  return (
    <Modal
      open
      title={t.made}
      width={640}
      mask={{ closable: false }}
      keyboard={false}
      footer={
        <Button type="primary" onClick={onClose}>
          {t.kept}
        </Button>
      }
      onCancel={onClose}
    >
      <p>
        <CopyText text={text} label={t.key} />
      </p>
      <p className="q-soft">
        {t.madeAbout} <code>Authorization: Bearer qk_…</code>
      </p>
    </Modal>
  );
}

interface GivenKey {
  readonly name: string;
  readonly days: number;
  readonly networks?: string[];
  readonly rights: string[];
}

interface KeyFormProps {
  readonly account: ServiceAccount;
  readonly onMade: (key: string) => void;
  readonly onClose: () => void;
}

function KeyForm({ account, onMade, onClose }: KeyFormProps) {
  const t = useTexts();
  const r = useRightsTexts();
  const create = useChange(platform.createAccessKey, { quiet: true });
  const services = [...new Set(account.rights.map((right) => right.slice(0, right.lastIndexOf("."))))];
  const fields: Field[] = [
    { kind: "text", name: "name", label: t.keyName, required: true, max: 100 },
    { kind: "number", name: "days", label: t.days, required: true, min: 1, max: 365, precision: 0, unit: t.dayUnit },
    { kind: "tags", name: "networks", label: t.networks, help: t.networksHelp },
    {
      kind: "own",
      name: "rights",
      label: r.rights,
      help: t.narrower,
      control: <RightsTable isExplicit services={services} within={account.rights} />,
    },
  ];
  return (
    <FormDrawer<GivenKey>
      title={t.createKey}
      needs={platform.createAccessKey}
      fields={fields}
      initial={{ days: 90, rights: [...account.rights] }}
      onSave={async ({ networks, rights, ...given }) => {
        const fewer = rights.length < account.rights.length && { rights };
        const from = networks && networks.length > 0 && { networks };
        onMade((await create.mutateAsync({ body: { accountId: account.id, ...given, ...fewer, ...from } })).key);
      }}
      onClose={onClose}
    />
  );
}

export type ServiceAccount = RecordOf<typeof platform.listServiceAccounts>;

type Given = Pick<ServiceAccount, "userName" | "name" | "rights" | "status">;

interface AccountFormProps {
  readonly account: ServiceAccount | undefined;
  readonly onClose: () => void;
}

export function AccountForm({ account, onClose }: AccountFormProps) {
  const t = useTexts();
  const r = useRightsTexts();
  const services = useSession()?.services ?? [];
  const options = { done: t.saved, quiet: true };
  const create = useChange(platform.createServiceAccount, options);
  const update = useChange(platform.updateServiceAccount, options);
  const fields: Field[] = [
    { kind: "text", name: "userName", label: t.userName, required: true, max: 255 },
    { kind: "text", name: "name", label: t.purpose, help: t.purposeHelp, max: 255 },
    {
      kind: "own",
      name: "rights",
      label: r.rights,
      control: <RightsTable isExplicit services={["platform", ...services]} />,
    },
    {
      kind: "choices",
      name: "status",
      label: t.status,
      options: (["1", "0"] as const).map((value) => ({ value, label: t.statuses[value] })),
    },
  ];
  return (
    <FormDrawer<Given>
      title={account ? t.editNamed(account.userName) : t.create}
      needs={account ? platform.updateServiceAccount : platform.createServiceAccount}
      fields={fields}
      initial={account ? toGiven(account) : { rights: [], status: "1" }}
      onSave={(given, idempotencyKey) =>
        account
          ? update.mutateAsync({ body: { ...given, id: account.id } })
          : create.mutateAsync({ body: given, options: { idempotencyKey } })
      }
      onClose={onClose}
    />
  );
}

const toGiven = ({ userName, name, rights, status }: ServiceAccount): Given => ({ userName, name, rights, status });
