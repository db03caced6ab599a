#include "frontend/pages/html.h"

#include <nlohmann/json.hpp>

namespace catena::pages {
namespace {

constexpr const char* style = R"css(
:root { color-scheme: light dark; --ink: #1d2330; --paper: #ffffff; --faint: #667085; --line: #d5dae3; --panel: #f5f7fa;
        --kernel: #2f6fdb; --call: #d97706; --eager: #8a94a6; --compiled: #2f6fdb; --step: #0f9d7a; --trusted: #7c4dcc; --peer: #d97706; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --paper: #14171d; --faint: #98a2b3; --line: #343b47; --panel: #1d222b;
        --kernel: #6ea0f5; --call: #f0a94a; --eager: #7b8596; --compiled: #6ea0f5; --step: #3fc9a3; --trusted: #a98af0; --peer: #f0a94a; } }
body { margin: 2rem auto; max-width: 82rem; padding: 0 1.5rem; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.5rem; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.faint { color: var(--faint); } code, pre { font: 12px/1.45 ui-monospace, monospace; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; } th, td { padding: .25rem .8rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left; } th { color: var(--faint); font-weight: 600; }
.words th { white-space: nowrap; vertical-align: top; } .words th, .words td { text-align: left; padding: .1rem .8rem .1rem 0; border: 0; }
.launches { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .6rem; align-items: start; }
.box { position: relative; border: 1px solid var(--line); border-left: 4px solid var(--kernel); border-radius: 6px; padding: .4rem .7rem; background: var(--panel); overflow-wrap: anywhere; }
.box.call { border-left-color: var(--call); } .box:target { outline: 2px solid var(--kernel); }
.box .number { float: right; margin-left: .6rem; } .box ul { margin: .2rem 0; padding-left: 1rem; font-size: 12px; } .box a { color: inherit; }
.border { grid-column: 1 / -1; display: flex; align-items: center; gap: .8rem; color: var(--faint); font-weight: 600; }
.border::before, .border::after { content: ""; flex: 1; border-top: 2px dashed var(--line); }
.share { height: 4px; border-radius: 2px; background: var(--kernel); margin: .3rem 0 .1rem; } .call .share { background: var(--call); }
.tip { display: none; position: absolute; z-index: 2; left: -1px; right: -1px; top: 100%; padding: .5rem .8rem; border: 1px solid var(--line); border-radius: 6px; background: var(--paper); box-shadow: 0 4px 16px #0004; font-size: 13px; }
.box:hover .tip, .box:focus .tip, .box:target .tip { display: block; }
.stages { display: flex; gap: 1rem; overflow-x: auto; } .stages div { flex: 1 0 32rem; min-width: 0; }
pre { max-height: 40rem; overflow: auto; padding: .7rem; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; white-space: pre; }
.bars { display: grid; grid-template-columns: max-content 1fr; gap: .15rem .8rem; align-items: center; } .bars .name { text-align: right; }
.bars .row { display: flex; align-items: center; gap: .5rem; } .bar { height: .95rem; min-width: 2px; border-radius: 0 3px 3px 0; }
.bar.eager { background: var(--eager); } .bar.compiled { background: var(--compiled); } .bar.step { background: var(--step); }
.bar.trusted { background: var(--trusted); } .bar.limit { background: var(--faint); } .bar.peer { background: var(--peer); }
.workloads { display: grid; grid-template-columns: repeat(auto-fill, minmax(26rem, 1fr)); gap: 1.2rem 2.5rem; } .workloads h3 { margin: 0 0 .3rem; font-size: 1rem; }
)css";

}  // namespace

std::string escaped(std::string_view text) {
    // The JSON writer replaces what is not UTF-8.
    const std::string quoted = nlohmann::json(std::string(text))
                                   .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    const std::string valid = nlohmann::json::parse(quoted).get<std::string>();
    std::string result;
    for (char c : valid) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            case '\'':
                result += "&#39;";
                break;
            case '\0':
                break;
            default:
                result += c;
        }
    }
    return result;
}

std::string page(std::string_view title, const std::string& body) {
    std::string text = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n";
    // No script runs, even if a name got past the escaping.
    text +=
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\">\n";
    text += "<meta name=\"viewport\" content=\"width=device-width\"><title>" + escaped(title) +
            "</title>\n<style>";
    text += style;
    return text + "</style></head><body>\n" + body + "</body></html>\n";
}

}  // namespace catena::pages
