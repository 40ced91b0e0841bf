// Licensed under the Apache License, Version 2.0.
//
// The result as one JSON object on standard output.
#pragma once

#include <string>
#include <vector>

#include "device.h"
#include "place.h"

namespace sktwin::runtime {

// One core in a report.
struct CoreReport {
    const CoreState* core;
    Site site;
    std::string state;     // running, waiting, polling, finished
    std::string waitsFor;  // empty when it waits for nothing
    std::string missing;   // who should have released it
};

void PrintSuccess(const Device& device);
void PrintProblems(const std::vector<Problem>& problems);
[[noreturn]] void StopWithFault(const std::string& check, const std::string& message,
                                const std::vector<CoreReport>& cores, const Place& place = {});
// Fault of the running core that came by a signal: the report gives the place, from which debug data give the line.
[[noreturn]] void StopAtPlace(const std::string& check, const Place& place, const std::string& message);
// Fault of the running core; `message` is completed with who it is.
[[noreturn]] void StopRunningCore(const std::string& check, Site site, const std::string& message);

// What GetBlockIdx gives on the core: all texts number cores that way.
uint32_t BlockIndex(const CoreState& core);
// "AIV block 7 (core 17)".
std::string Name(const CoreState& core);
std::string SiteText(Site site);

}  // namespace sktwin::runtime
