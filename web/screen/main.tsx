import { createRoot } from "react-dom/client";
import { isStill } from "#screen/motion.ts";
import { Screen } from "#screen/screen.tsx";
import "#screen/wall.css";
import "#screen/panels.css";
import "#screen/cards.css";

document.documentElement.classList.toggle("s-still", isStill);
const root = document.querySelector("#page");
if (root) createRoot(root).render(<Screen />);
