/**
 * The scripts that teach a shell to complete `slipway`: each asks the hidden command `__complete` with the words up to
 * the cursor, and gets one candidate a line. Pure.
 */

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/** The script for a shell. */
export function scriptFor(shell: Shell): string {
  return SCRIPTS[shell];
}

const BASH = `# slipway completion for bash: source <(slipway completion bash)
_slipway() {
  local IFS=$'\\n'
  COMPREPLY=($(slipway __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -F _slipway slipway
`;

const ZSH = `#compdef slipway
# slipway completion for zsh: source <(slipway completion zsh)
_slipway() {
  local -a candidates
  candidates=("\${(@f)$(slipway __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- $candidates
}
compdef _slipway slipway
`;

const FISH = `# slipway completion for fish: slipway completion fish | source
function __slipway_complete
    set -l words (commandline -opc) (commandline -ct | string collect --allow-empty)
    slipway __complete -- $words[2..-1] 2>/dev/null
end
complete -c slipway -f -a '(__slipway_complete)'
`;

/** Older versions of PowerShell drop an empty argument, so that it is written with quotation marks. */
const POWERSHELL = `# slipway completion for PowerShell: slipway completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName slipway -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
    if ($wordToComplete -eq '') { $words += '""' }
    slipway __complete -- @words 2>$null | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }
}
`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };
