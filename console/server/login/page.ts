/** The page on which people log in: HTML without a script, since nothing of the console is shown before. Pure. */

export interface LoginPage {
  /** Why the page is shown, if there is more to say than that one must log in. */
  readonly message?: string;
  readonly next?: string;
  /** Address of the login by an issuer. */
  readonly oidc?: string;
  /** Address that takes a pasted token. */
  readonly token?: string;
  /** The view to go on to. */
  readonly back?: string;
}

/** The whole page. Every text is escaped. */
export function loginPage({ message, next, oidc, token, back = '/' }: LoginPage): string {
  const parts = [
    message === undefined ? '' : `<p role="alert">${escape(message)}</p>`,
    next === undefined ? '' : `<p>${escape(next)}</p>`,
    oidc === undefined ? '' : `<p><a href="${escape(`${oidc}?back=${encodeURIComponent(back)}`)}">Log in</a></p>`,
    token === undefined ? '' : tokenForm(token, back),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Log in - Slipway</title>
</head>
<body>
<main>
<h1>Slipway</h1>
${parts.filter((part) => part !== '').join('\n')}
</main>
</body>
</html>
`;
}

function tokenForm(action: string, back: string): string {
  return `<form method="post" action="${escape(action)}" autocomplete="off">
<input type="hidden" name="back" value="${escape(back)}">
<p><label for="token">Token of a user or ServiceAccount of this cluster</label></p>
<p><input id="token" name="token" type="password" required></p>
<p><button>Log in</button></p>
</form>`;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

/** The path to go back to after the login; `/` for anything that could lead elsewhere. */
export function backPath(given: string | undefined): string {
  if (given === undefined || !/^\/(?![/\\])[\w./?&=%~:@+,;!$'()*-]*$/.test(given) || given.length > 2000) return '/';
  return given.startsWith('/login') || given.startsWith('/api/') ? '/' : given;
}
