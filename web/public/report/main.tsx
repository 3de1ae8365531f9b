import type { ReactNode } from "react";
import { startPage } from "#public/blocks/shell.tsx";
import { place } from "#shared/place.ts";
import { OwnReports } from "./own-reports.tsx";
import { Receipt } from "./receipt.tsx";
import { Registration } from "./registration.tsx";
import "./report.css";

/** A link in a WeChat message may carry the receipt in its query instead of its path. */
function choosePage(): ReactNode {
  const below = location.pathname.slice(place.base.length + place.page.length).replace(/\/$/, "");
  if (below === "mine") return <OwnReports />;
  const receipt = below.startsWith("r/") ? below.slice(2) : new URLSearchParams(location.search).get("receipt");
  return receipt ? <Receipt receipt={receipt} /> : <Registration />;
}

startPage(choosePage());
