import { Drawer } from "antd";
import { useEffect, useRef } from "react";
import { useLocation, useNavigation } from "react-router";
import { useTexts } from "#shared/language/language.ts";
import type { Session } from "#console/session/session.ts";
import { Navigation } from "#console/shell/navigation.tsx";
import { texts } from "#console/shell/texts.ts";

interface MenuDrawerProps {
  readonly session: Session;
  readonly onClose: () => void;
}

/** The menu over the page, where there is no room beside it; it goes when a page is chosen. */
export function MenuDrawer({ session, onClose }: MenuDrawerProps) {
  const t = useTexts(texts);
  const { key } = useLocation();
  const { state } = useNavigation();
  const openedAt = useRef(key);
  useEffect(() => {
    if (state === "loading" || key !== openedAt.current) onClose();
  }, [state, key, onClose]);
  return (
    <Drawer open placement="left" size={264} title={t.menu} className="q-menu-drawer" onClose={onClose}>
      <nav aria-label={t.menu}>
        <Navigation session={session} collapsed={false} />
      </nav>
    </Drawer>
  );
}
