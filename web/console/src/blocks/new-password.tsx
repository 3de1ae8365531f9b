import { CopyOutlined, ReloadOutlined } from "@ant-design/icons";
import { Button, Input, Space, Tooltip } from "antd";
import { useCopy } from "#console/blocks/copy-text.tsx";
import { useTexts } from "#console/blocks/texts.ts";

// The alphabet leaves out i, l, o and u. It has 32 characters, so that the 256 values of a byte map to them uniformly.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

export const makePassword = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(20)), (byte) => alphabet[byte % alphabet.length]).join("");

interface NewPasswordProps {
  readonly id?: string;
  readonly value?: string;
  readonly onChange?: (value: string) => void;
  readonly max?: number | undefined;
  readonly make?: (() => string) | undefined;
}

export function NewPassword({ id, value = "", onChange, max, make = makePassword }: NewPasswordProps) {
  const t = useTexts();
  const copy = useCopy();
  return (
    <Space.Compact block>
      <Input
        {...(id !== undefined && { id })}
        className="q-code"
        autoComplete="off"
        spellCheck={false}
        value={value}
        maxLength={max}
        onChange={(event) => onChange?.(event.target.value)}
      />
      {copy && (
        <Tooltip title={t.copy}>
          <Button
            icon={<CopyOutlined aria-hidden />}
            aria-label={t.copy}
            disabled={value === ""}
            onClick={() => copy(value)}
          />
        </Tooltip>
      )}
      <Tooltip title={t.anotherPassword}>
        <Button
          icon={<ReloadOutlined aria-hidden />}
          aria-label={t.anotherPassword}
          onClick={() => onChange?.(make())}
        />
      </Tooltip>
    </Space.Compact>
  );
}
