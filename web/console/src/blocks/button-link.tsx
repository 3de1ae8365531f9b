import { Button, type ButtonProps } from "antd";
import type { MouseEvent } from "react";
import { useHref, useLinkClickHandler } from "react-router";

/** A link that looks like a button. */
export function ButtonLink({ to, ...props }: Omit<ButtonProps, "href" | "onClick"> & { readonly to: string }) {
  const go = useLinkClickHandler(to);
  return <Button {...props} href={useHref(to)} onClick={(event) => go(event as MouseEvent<HTMLAnchorElement>)} />;
}
