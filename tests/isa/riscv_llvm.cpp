/* SPDX-License-Identifier: MIT */
/*
 * riscv_llvm.cpp: makes riscv_llvm.txt, what LLVM says about RISC-V opcodes.
 *
 *     c++ -std=c++17 riscv_llvm.cpp $(llvm-config-19 --cxxflags --ldflags --libs) -o riscv_llvm
 *     ./riscv_llvm 4 >riscv_llvm.txt
 *
 * For each instruction of LLVM's RISC-V target, but for those of vendors: as many random opcodes as
 * the argument says.  A line has the opcode, its name in LLVM, its text, the registers that it
 * writes and reads, and what else LLVM knows of it, separated by tabs.
 */
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static const char common[] =
    "+m,+a,+f,+d,+v,+h,+zfh,+zba,+zbb,+zbc,+zbs,+zbkb,+zbkc,+zbkx,+zknd,+zkne,+zknh,+zksed,+zksh,"
    "+zicond,+zicbom,+zicbop,+zicboz,+zawrs,+zfa,+zfbfmin,+zvfh,+zvfbfmin,+zvfbfwma,+zvbb,+zvbc,"
    "+zvkg,+zvkned,+zvknhb,+zvksed,+zvksh,+svinval,+zifencei,+experimental-zacas,+zabha,+zihintntl,"
    "+zimop,"
    "+experimental-smrnmi";
static const char *const sets[][2] = {
    {"riscv64", "+c,+zcb,+zcmop"},        /* with Zcd */
    {"riscv64", "+zca,+zcb,+zcmp,+zcmt"}, /* these have the opcodes of c.fsdsp */
    {"riscv32", "+c,+zcb"},
};

static std::mt19937_64 draw(1);

static const char *const vendors[] = {"TH_", "CV_", "VT_", "SF_", "QC_", "XS", "Insn", nullptr};

int main(int argc, char **argv)
{
    const int count = argc > 1 ? std::atoi(argv[1]) : 4;
    if (argc > 2) draw.seed(std::strtoull(argv[2], nullptr, 0));
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTarget();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVDisassembler();
    std::set<std::string> seen;
    unsigned instructions = 0;
    for (const auto &set : sets) {
        const Triple triple(std::string(set[0]) + "-unknown-elf");
        std::string error;
        const Target *target = TargetRegistry::lookupTarget("", *new Triple(triple), error);
        const MCRegisterInfo *registers = target->createMCRegInfo(triple.str());
        const MCAsmInfo *info =
            target->createMCAsmInfo(*registers, triple.str(), MCTargetOptions());
        const MCInstrInfo *insns = target->createMCInstrInfo();
        const MCSubtargetInfo *features =
            target->createMCSubtargetInfo(triple.str(), "", std::string(common) + "," + set[1]);
        MCContext context(triple, info, registers, features);
        const MCDisassembler *disassembler = target->createMCDisassembler(*features, context);
        MCCodeEmitter *emitter = target->createMCCodeEmitter(*insns, context);
        MCInstPrinter *printer = target->createMCInstPrinter(triple, 0, *info, *insns, *registers);
        printer->applyTargetSpecificCLOption("no-aliases");
        printer->applyTargetSpecificCLOption("numeric");
        printer->setPrintImmHex(false);
        std::set<std::string> here;
        for (unsigned opcode = 0; opcode < insns->getNumOpcodes(); opcode++) {
            const MCInstrDesc &desc = insns->get(opcode);
            const std::string name = insns->getName(opcode).str();
            if (desc.isPseudo() || !desc.getSize()) continue;
            bool vendor = false;
            for (const char *const *prefix = vendors; *prefix; prefix++)
                vendor |= name.rfind(*prefix, 0) == 0;
            if (vendor) continue;
            int made = 0;
            for (int tries = 0; tries < count * 200 && made < count; tries++) {
                MCInst drawn;
                drawn.setOpcode(opcode);
                for (unsigned i = 0; i < desc.getNumOperands(); i++) {
                    const MCOperandInfo &operand = desc.operands()[i];
                    const int tied = desc.getOperandConstraint(i, MCOI::TIED_TO);
                    if (tied >= 0) {
                        drawn.addOperand(drawn.getOperand((unsigned)tied));
                    } else if (operand.RegClass >= 0) {
                        const MCRegisterClass &kind =
                            registers->getRegClass((unsigned)operand.RegClass);
                        const bool unmasked = kind.getNumRegs() == 1 && draw() % 2 &&
                                              registers->getName(kind.getRegister(0))[0] == 'V';
                        drawn.addOperand(MCOperand::createReg(
                            unmasked ? 0u
                                     : (unsigned)kind.getRegister(draw() % kind.getNumRegs())));
                    } else {
                        const unsigned bits = (unsigned)(draw() % 21);
                        drawn.addOperand(MCOperand::createImm(
                            (int64_t)((draw() & ((1u << bits) - 1)) << (draw() % 4))));
                    }
                }
                SmallVector<char, 8> bytes;
                SmallVector<MCFixup, 2> fixups;
                emitter->encodeInstruction(drawn, bytes, fixups, *features);
                if (bytes.size() < 2) break;
                MCInst insn;
                uint64_t size;
                const ArrayRef<uint8_t> code((const uint8_t *)bytes.data(), bytes.size());
                if (disassembler->getInstruction(insn, size, code, 0x1000, nulls()) !=
                        MCDisassembler::Success ||
                    size != bytes.size() || insn.getOpcode() != opcode)
                    continue;
                std::string text, defs, uses, does;
                raw_string_ostream out(text);
                printer->printInst(&insn, 0x1000, "", *features, out);
                for (unsigned i = 0; i < insn.getNumOperands(); i++) {
                    const MCOperand &operand = insn.getOperand(i);
                    if (!operand.isReg() || !operand.getReg()) continue;
                    (i < desc.getNumDefs() ? defs : uses) +=
                        std::string(" ") + registers->getName(operand.getReg());
                }
                for (MCPhysReg reg : desc.implicit_uses())
                    uses += std::string(" ") + registers->getName(reg);
                for (MCPhysReg reg : desc.implicit_defs())
                    defs += std::string(" ") + registers->getName(reg);
                if (desc.mayLoad()) does += " load";
                if (desc.mayStore()) does += " store";
                if (desc.mayRaiseFPException()) does += " raises";
                if (desc.isBranch()) does += " branch";
                if (desc.isCall()) does += " call";
                uint32_t bits = 0;
                for (size_t i = bytes.size(); i-- > 0;) bits = bits << 8 | (uint8_t)bytes[i];
                char line[40];
                std::snprintf(line, sizeof line, "%s\t%0*x\t", set[0] + 5, (int)bytes.size() * 2,
                              bits);
                std::string whole = line + name + "\t";
                for (char c : text.substr(text.find_first_not_of('\t')))
                    whole += c == '\t' ? ' ' : c;
                const std::string key = std::string(line + 3) + name;
                const std::string tail = "\t" + (defs.empty() ? "" : defs.substr(1)) + "\t" +
                                         (uses.empty() ? "" : uses.substr(1)) + "\t" +
                                         (does.empty() ? "" : does.substr(1));
                /* of the other sets, only what is not in the first */
                if (&set != &sets[0] && seen.count(name)) break;
                if (here.insert(key).second) std::printf("%s%s\n", whole.c_str(), tail.c_str());
                made++;
            }
            if (made) {
                instructions += seen.insert(name).second;
            } else if (!seen.count(name)) {
                std::fprintf(stderr, "%s: no opcode of %s\n", set[0], name.c_str());
            }
        }
    }
    std::fprintf(stderr, "%u instructions\n", instructions);
}
