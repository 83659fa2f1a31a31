/** The parts of the completion scripts that do not depend on the commands. */

export const bashFunction = `_gateway_sim() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command= word
  COMPREPLY=()
  # Bash splits --format=json at the equals sign.
  if [[ $current == = ]]; then current=
  elif [[ $previous == = ]]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -- ]] && return
    [[ -z $command && $word != -* ]] && command=$word
  done
  COMPREPLY=($(compgen -W "$(_gateway_sim_words "$command" "$previous" "$current")" -- "$current"))
}
complete -o bashdefault -o default -F _gateway_sim gateway-sim
`

export const zshFunction = `_gateway_sim() {
  local current=$words[CURRENT] previous=$words[CURRENT-1] command= word
  local -a found
  for word in $words[2,CURRENT-1]; do
    if [[ $word == -- ]]; then _files; return; fi
    if [[ -z $command && $word != -* ]]; then command=$word; fi
  done
  if [[ $current == --*=* ]]; then
    previous=\${current%%=*} current=\${current#*=}
    compset -P '*='
  fi
  found=(\${=$(_gateway_sim_words "$command" "$previous" "$current")})
  if (( $#found )); then compadd -- $found; else _files; fi
}
if (( ! $+functions[compdef] )); then autoload -Uz compinit && compinit; fi
compdef _gateway_sim gateway-sim
`
