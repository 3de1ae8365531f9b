// The console starts here.
import { createRoot } from "react-dom/client";
import { Console } from "#console/app.tsx";
import { lendNonce } from "#console/lend-nonce.ts";
import { askOtherTabs } from "#console/session/session.ts";
import "#console/console.css";
import "#console/small.css";
import "#console/paper.css";

lendNonce();
const root = document.querySelector("#console");
void askOtherTabs().then(() => root && createRoot(root).render(<Console />));
