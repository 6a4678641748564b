import { scalingChanges, scalingTemplate } from "../../configs/scaling/scalingEdits";
import { LAWS } from "../../core/laws/list";
import { lawForm, lawNote } from "../../report/laws";
import { secretAddresses as addressesOf } from "../../operations/namedStores";
import {
  Requests,
  type EditReply,
  type FolderEditParams,
  type FolderParams,
  type LawsReply,
  type SecretAddressesReply,
} from "../../protocol";
import { scalingEdit, scalingNow } from "../scalingEdit";
import { handler } from "./types";

export const laws = handler<FolderParams, LawsReply>(Requests.laws, async ({ session }, { uri }) => {
  const project = await session.projectOf(uri);
  const { fit } = project;
  const settings = await session.settingsOf(uri);
  const current = fit.kind === "ready" ? fit.fit.law.law : settings.fit.law;
  const tried = fit.kind === "ready" ? fit.fit.file.selection : [];
  return {
    current,
    laws: [
      { name: "auto", form: "chosen by QAICc and held-out error", note: "" },
      ...LAWS.map(({ name }) => {
        const result = tried.find((one) => one.law === name);
        const figures = result?.aicc == null ? "" : ` QAICc ${result.aicc.toFixed(1)} here.`;
        return { name, form: lawForm(name), note: `${lawNote(name)}${figures}` };
      }),
    ],
  };
});

export const scaffold = handler<FolderParams, EditReply>(Requests.scaffold, async ({ session }, { uri }) => {
  const project = await session.projectOf(uri);
  const open = project.scalingUri;
  if (project.scaling || session.openDocument(open))
    return { edit: null, message: "This folder has a scaling.yaml already.", open };
  const runs = await session.host.stat(`${project.folderUri}/runs`);
  const text = scalingTemplate(runs?.kind === "directory" ? ["runs/**"] : []);
  return {
    edit: scalingEdit(open, { text: null, version: null }, [{ span: { start: 0, end: 0 }, newText: text }]),
    message: "scaling.yaml was created.",
    open,
  };
});

export const folderEdit = handler<FolderEditParams, EditReply>(
  Requests.folderEdit,
  async ({ session }, { uri, change }) => {
    const project = await session.projectOf(uri);
    const now = await scalingNow(session, project.scalingUri);
    const wanted = change.kind === "law" ? ({ kind: "set", key: "law", value: change.law } as const) : change;
    return { edit: scalingEdit(project.scalingUri, now, scalingChanges(now.text ?? "", wanted)), message: "" };
  },
);

export const secretAddresses = handler<FolderParams, SecretAddressesReply>(
  Requests.secretAddresses,
  async ({ session }, { uri }) => ({ addresses: addressesOf((await session.projectOf(uri)).scaling?.file ?? null) }),
);
