/** What all views share: the data of the address, the title, the focus, and the words while there is nothing to draw. */
import type { ComponentType } from 'preact';
import { useLocation } from 'preact-iso/router';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Notice } from '../../data/models.ts';
import type { Problem } from '../../data/view.ts';
import { Notices } from '../parts/lists.tsx';
import { announce } from './announce.tsx';
import { live, signedIn } from './state.ts';

/** The fields of a model that the frame draws itself. */
interface Headed {
  readonly title: string;
  readonly notices: readonly Notice[];
}

/** A view as a component of the router: the body draws the model. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the server sends the model that the body expects
export function page<Model extends Headed>(Body: ComponentType<{ readonly model: Model }>) {
  return function Framed() {
    const { url } = useLocation();
    useLayoutEffect(() => live.show(url), [url]);
    const ended = signedIn.ended.value;
    if (ended !== undefined) return <ProblemPage problem={ended} title="Please sign in" login={ended.login} />;
    const { problem, model: received } = live.about(url.split('?', 1)[0] ?? '');
    if (problem !== undefined) return <ProblemPage problem={problem} />;
    if (received === undefined) return <Loading />;
    const model = received as Model;
    return (
      <>
        <Heading title={model.title} />
        <Notices notices={model.notices} />
        <Body model={model} />
      </>
    );
  };
}

/** The first page that is drawn has no heading to go to: the focus stays where the browser has put it. */
let isFirst = true;

/** The title of the page and of the tab; it takes the focus after a navigation, so that reading begins here. */
export function Heading({ title }: { readonly title: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { wasPush } = useLocation() as { readonly wasPush?: boolean };
  // Before the page is painted: a Tab that a person presses then begins at the title.
  useLayoutEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    if (!isFirst && wasPush) window.scrollTo(0, 0);
    isFirst = false;
  }, []);
  useEffect(() => {
    document.title = `${title} · Slipway`;
  }, [title]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {title}
    </h1>
  );
}

function Loading() {
  return (
    <div class="loading" aria-busy="true">
      <h1 class="hidden">Loading</h1>
      <span class="bone bone-title" />
      <span class="bone" />
      <span class="bone" />
      <span class="bone bone-short" />
    </div>
  );
}

/** In place of a view that cannot be given. */
interface ProblemPageProps {
  readonly problem: Problem;
  /** Instead of one that follows from the reason. */
  readonly title?: string;
  readonly login?: string | undefined;
}

function ProblemPage({ problem: { reason, message, next }, title, login }: ProblemPageProps) {
  useEffect(() => announce(message, { isSpoken: true }), [message]);
  return (
    <>
      <Heading title={title ?? titleOf(reason)} />
      <div class="problem">
        <p>{message}</p>
        {next !== '' && <p>{next}</p>}
        <div class="row">
          {login !== undefined && (
            <a class="button main" href={login} target="_top">
              Log in
            </a>
          )}
          <button type="button" class={login === undefined ? 'main' : ''} onClick={() => live.refresh()}>
            Try again
          </button>
          <a class="button" href="/overview">
            Overview
          </a>
        </div>
        <p class="muted">Reason: {reason}</p>
      </div>
    </>
  );
}

function titleOf(reason: Problem['reason']): string {
  return reason === 'Forbidden' ? 'You may not see this' : 'This cannot be shown now';
}
