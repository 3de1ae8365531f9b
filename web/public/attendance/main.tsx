import { startPage } from "#public/blocks/shell.tsx";
import { App } from "./app.tsx";
import "./attendance.css";

startPage(<App />);
