# One chat request with curl. `FLAGS` are more flags of curl.
set -e
curl --silent --max-time 8 $FLAGS "$OPENAI_BASE_URL/chat/completions" \
  --header "authorization: Bearer $OPENAI_API_KEY" --header 'content-type: application/json' \
  --data '{"model":"gpt-4o","messages":[{"role":"user","content":"Tell me about the sea."}]}'
