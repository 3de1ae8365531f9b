import { KeyOutlined, MobileOutlined } from "@ant-design/icons";
import { PageTitle } from "#console/shell/page-title.tsx";
import { Alert, App, Button, Card, Empty, Modal, Skeleton, Typography } from "antd";
import { useState } from "react";
import { Failure } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import { useChange, useRead } from "#console/call/use-call.ts";
import { OwnContact } from "#console/session/own-contact.tsx";
import { OwnSessions } from "#console/session/own-sessions.tsx";
import { Enrol, type Kind, RecoveryCodes } from "#console/session/second-factor/enrol.tsx";
import { useTexts } from "#console/session/second-factor/texts.ts";
import { platform } from "#shared/api/platform.ts";
import type { DataOf } from "#shared/call/operation.ts";

type Own = DataOf<typeof platform.readOwnFactors>;
type Factor = Own["factors"][number];

export function SecurityPage() {
  const t = useTexts();
  const { data, error, refetch } = useRead(platform.readOwnFactors, {});
  return (
    <>
      <PageTitle>{t.page}</PageTitle>
      <PageHead title={t.page} about={t.pageAbout} />
      <div className="q-security">
        {error && <Failure failure={error} onRetry={refetch} />}
        {data ? <OwnFactors own={data} onChanged={refetch} /> : !error && <Skeleton active />}
        <OwnContact />
        <OwnSessions />
      </div>
    </>
  );
}

function OwnFactors({ own, onChanged }: { readonly own: Own; readonly onChanged: () => unknown }) {
  const t = useTexts();
  const { message } = App.useApp();
  const [adding, setAdding] = useState<Kind>();
  const hasTotp = own.factors.some(({ kind }) => kind === "totp");
  return (
    <>
      {own.required && own.factors.length === 0 && <Alert type="warning" showIcon title={t.required} />}
      <Card
        title={t.factors}
        extra={
          <div className="q-buttons">
            <Button onClick={() => setAdding("totp")}>{hasTotp ? t.replaceTotp : t.addTotp}</Button>
            <Button onClick={() => setAdding("passkey")}>{t.addPasskey}</Button>
          </div>
        }
      >
        {own.factors.length === 0 && (
          <Empty
            image={Empty.PRESENTED_IMAGE_SIMPLE}
            description={
              <>
                <div>{t.none}</div>
                <div className="q-soft">{t.noneAbout}</div>
              </>
            }
          />
        )}
        <ul className="q-second-factors">
          {own.factors.map((factor) => (
            <OwnFactor key={factor.id} factor={factor} />
          ))}
        </ul>
      </Card>
      {own.factors.length > 0 && <OwnRecoveryCodes left={own.recoveryCodes} />}
      {adding && (
        <Modal
          open
          title={adding === "totp" && hasTotp ? t.replaceTotp : t[adding === "totp" ? "addTotp" : "addPasskey"]}
          width={420}
          footer={null}
          mask={{ closable: false }}
          onCancel={() => {
            setAdding(undefined);
            void onChanged();
          }}
        >
          <Enrol
            kind={adding}
            option={{}}
            onDone={() => {
              setAdding(undefined);
              void message.success(t.added);
              void onChanged();
            }}
          />
        </Modal>
      )}
    </>
  );
}

function OwnFactor({ factor: { id, kind, name, createTime, lastUseTime } }: { readonly factor: Factor }) {
  const t = useTexts();
  const confirm = useConfirm();
  const rename = useChange(platform.renameFactor, { done: t.renamed });
  const remove = useChange(platform.deleteFactor, { done: t.removed });
  const ask = () =>
    confirm({
      title: t.removeTitle(name),
      needs: platform.deleteFactor,
      about: t.removeAbout,
      verb: t.remove,
      work: () => remove.mutateAsync({ body: { id } }),
    });
  return (
    <li>
      {kind === "totp" ? <MobileOutlined aria-hidden /> : <KeyOutlined aria-hidden />}
      <div className="q-second-factor">
        <Typography.Text
          strong
          editable={{
            tooltip: t.rename,
            maxLength: 64,
            onChange: (next) => {
              if (next.trim() !== "" && next !== name) rename.mutate({ body: { id, name: next.trim() } });
            },
          }}
        >
          {name}
        </Typography.Text>
        <div className="q-soft q-facts">
          <span>{t.kinds[kind]}</span>
          <span>{t.created(createTime)}</span>
          <span>{t.used(lastUseTime)}</span>
        </div>
      </div>
      <Button danger type="text" aria-label={t.removeNamed(name)} onClick={ask}>
        {t.remove}
      </Button>
    </li>
  );
}

function OwnRecoveryCodes({ left }: { readonly left: number }) {
  const t = useTexts();
  const confirm = useConfirm();
  const renew = useChange(platform.renewRecoveryCodes);
  const [codes, setCodes] = useState<readonly string[]>();
  const ask = () =>
    confirm({
      title: t.renewTitle,
      needs: platform.renewRecoveryCodes,
      about: t.renewAbout,
      verb: t.renew,
      work: async () => setCodes(await renew.mutateAsync({})),
    });
  return (
    <Card title={t.recovery} extra={<Button onClick={ask}>{t.renew}</Button>}>
      {t.recoveryLeft(left)}
      {codes && (
        <Modal
          open
          title={t.recovery}
          width={420}
          footer={null}
          closable={false}
          mask={{ closable: false }}
          keyboard={false}
        >
          <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />
        </Modal>
      )}
    </Card>
  );
}
