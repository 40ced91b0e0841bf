// Licensed under the Apache License, Version 2.0.
#include "report.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace sktwin::runtime {

namespace {

// Length of the UTF-8 sequence at `at`, 0 when the bytes there are none.
size_t SequenceLength(const std::string& text, size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (first < 0x80) {
        length = 1;
    } else if (first < 0xC2 || first > 0xF4) {
        return 0;
    }
    if (at + length > text.size()) {
        return 0;
    }
    for (size_t i = 1; i < length; ++i) {
        if ((static_cast<unsigned char>(text[at + i]) & 0xC0) != 0x80) {
            return 0;
        }
    }
    // Surrogates, over-long forms and what lies beyond Unicode are no text.
    const auto second = length > 2 ? static_cast<unsigned char>(text[at + 1]) : 0x80;
    const bool wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                       (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
    return wrong ? 0 : length;
}

// A device may print any bytes: those that are no text are shown as Latin-1, so that the report stays readable.
std::string Quoted(const std::string& text) {
    std::string quoted = "\"";
    for (size_t at = 0; at < text.size();) {
        const size_t length = SequenceLength(text, at);
        const auto byte = static_cast<unsigned char>(text[at]);
        if (length > 1) {
            quoted += text.substr(at, length);
        } else if (text[at] == '"' || text[at] == '\\') {
            quoted += '\\';
            quoted += text[at];
        } else if (length == 0 || byte < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof(escaped), "\\u%04x", byte);
            quoted += escaped;
        } else {
            quoted += text[at];
        }
        at += length > 0 ? length : 1;
    }
    return quoted + "\"";
}

std::string LaunchesJson(const Device& device) {
    std::string text = "[";
    for (const LaunchResult& result : device.results) {
        text += text.size() > 1 ? "," : "";
        text += "{\"label\":" + Quoted(result.label) + ",\"switches\":" + std::to_string(result.switches) + "}";
    }
    return text + "]";
}

std::string CoreJson(const CoreReport& report) {
    const Core& core = report.core->core;
    return std::string("{\"kind\":\"") + KindName(core.kind) + "\",\"block\":" + std::to_string(core.blockIdx) +
           ",\"sub_block\":" + std::to_string(core.subBlockIdx) + ",\"core_id\":" + std::to_string(core.coreId) +
           ",\"kernel\":" + Quoted(core.kernel) + ",\"file\":" + Quoted(report.site.file ? report.site.file : "") +
           ",\"line\":" + std::to_string(report.site.line) + ",\"state\":" + Quoted(report.state) +
           ",\"waits_for\":" + Quoted(report.waitsFor) + ",\"missing\":" + Quoted(report.missing) + "}";
}

std::string PlaceJson(const Place& place) {
    if (place.module.empty()) {
        return "";
    }
    return ",\"place\":{\"module\":" + Quoted(place.module) + ",\"offset\":" + std::to_string(place.offset) + "}";
}

void WriteAll(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
}

}  // namespace

uint32_t BlockIndex(const CoreState& state) {
    const Core& core = state.core;
    return core.kind == CoreKind::kAic ? core.blockIdx : core.blockIdx * core.subBlockDim + core.subBlockIdx;
}

std::string Name(const CoreState& state) {
    return std::string(KindName(state.core.kind)) + " block " + std::to_string(BlockIndex(state)) + " (core " +
           std::to_string(state.core.coreId) + ")";
}

std::string SiteText(Site site) {
    return site.file == nullptr ? "unknown line" : std::string(site.file) + ":" + std::to_string(site.line);
}

void PrintSuccess(const Device& device) {
    WriteAll("{\"status\":\"ok\",\"launches\":" + LaunchesJson(device) + ",\"output\":" + Quoted(device.output) + "}");
}

void PrintProblems(const std::vector<Problem>& problems) {
    std::string text;
    for (const Problem& problem : problems) {
        text += text.empty() ? "" : ",";
        text += "{\"line\":" + std::to_string(problem.line) + ",\"text\":" + Quoted(problem.text) + "}";
    }
    WriteAll("{\"status\":\"error\",\"problems\":[" + text + "]}");
}

void StopWithFault(const std::string& check, const std::string& message, const std::vector<CoreReport>& cores,
                   const Place& place) {
    const Device& device = TheDevice();
    if (device.host != nullptr) {
        device.host->Stop(check, message, cores);
    }
    std::string list;
    for (const CoreReport& report : cores) {
        list += list.empty() ? "" : ",";
        list += CoreJson(report);
    }
    const std::string label = device.launch.spec == nullptr ? "" : device.launch.spec->label;
    WriteAll("{\"status\":\"fault\",\"check\":" + Quoted(check) + ",\"launch\":" + Quoted(label) +
             ",\"message\":" + Quoted(message) + PlaceJson(place) + ",\"cores\":[" + list + "],\"launches\":" + LaunchesJson(device) +
             ",\"output\":" + Quoted(device.output) + "}");
    // No destructor may run on the stack of a core that is left in the middle of its work.
    _exit(1);
}

void StopAtPlace(const std::string& check, const Place& place, const std::string& message) {
    const CoreState* core = TheDevice().scheduler.current();
    if (core == nullptr) {
        StopWithFault(check, message, {}, place);
    }
    StopWithFault(check, Name(*core) + ", kernel " + core->core.kernel + ": " + message,
                  {{core, {nullptr, 0}, "running", "", ""}}, place);
}

void StopRunningCore(const std::string& check, Site site, const std::string& message) {
    const CoreState* core = TheDevice().scheduler.current();
    if (core == nullptr) {
        StopWithFault(check, message, {});
    }
    StopWithFault(check, Name(*core) + ", kernel " + core->core.kernel + ", " + SiteText(site) + ": " + message,
                  {{core, site, "running", "", ""}});
}

}  // namespace sktwin::runtime
