import { Button, Modal } from "antd";
import dayjs from "dayjs";
import { useState } from "react";
import { platform } from "#shared/api/platform.ts";
import { CopyText } from "#console/blocks/copy-text.tsx";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { IfMay } from "#console/blocks/if-may.tsx";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";
import { useRightsWords } from "#console/blocks/rights/rights.ts";
import { texts as rightsTexts } from "#console/blocks/rights/texts.ts";
import { RowAction } from "#console/blocks/row-action.tsx";
import { Status } from "#console/blocks/status.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { KeyForm } from "#console/pages/platform/service-accounts/key-form.tsx";
import type { ServiceAccount } from "#console/pages/platform/service-accounts/account-form.tsx";
import { texts } from "#console/pages/platform/service-accounts/texts.ts";

type Key = RecordOf<typeof platform.listAccessKeys>;

interface KeysDrawerProps {
  readonly account: ServiceAccount;
  readonly onClose: () => void;
}

const tones = { valid: "success", rotated: "processing", expired: "default", revoked: "default" } as const;

// As the alert of it stands unless somebody chooses otherwise.
const soonMs = 14 * 86_400_000;

/** Whether it is good, and must be exchanged before long. */
const endsSoon = ({ state, expireTime }: Key): boolean =>
  state === "valid" && dayjs(expireTime).valueOf() < Date.now() + soonMs;

/** The keys of a service account: made, shown once, rotated, revoked, and how they are used. */
export function KeysDrawer({ account, onClose }: KeysDrawerProps) {
  const t = useTexts(texts);
  const r = useTexts(rightsTexts);
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
  const t = useTexts(texts);
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

interface ShownKeyProps {
  readonly text: string;
  readonly onClose: () => void;
}

/** A key, this once: it is not closed by a click beside it. */
function ShownKey({ text, onClose }: ShownKeyProps) {
  const t = useTexts(texts);
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
